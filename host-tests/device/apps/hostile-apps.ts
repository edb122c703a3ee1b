/**
 * Malicious apps on the real console: installs and runs one while a client polls the console's status
 * (docs/spec/apps.md#running defines how each ends).
 */

import http from "node:http";
import { expect } from "vitest";
import { ABI } from "../../../device/wasm/abi.js";
import { CAPABILITIES, FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";
import { Fault } from "../../../protocol/fault.js";
import { readManifest } from "../../../protocol/manifest/manifest.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import { installOverHttp, type Upload } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { manifestOf, moduleOf, packageOf, type TestManifest } from "../../hosts/app-files.js";
import { imageArchitecture } from "../../hosts/image-architecture.js";
import type { ConsoleOptions } from "../../hosts/simulator.js";

/** Every capability. */
/** What a package may import: the rest is the home screen's. */
export const APP_ABI = ABI.filter(({ capability }) => capability !== FIRMWARE_CAPABILITY);

export const ALL_CAPABILITIES: readonly string[] = Object.freeze(CAPABILITIES.map(({ name }) => name));

/** The largest quota that a manifest may declare (device/services/apps/limits.ts). */
export const LARGEST_QUOTA_BYTES = 4 * 1024 * 1024;

export interface HostileApp extends Partial<TestManifest> {
  /** The fields of a module in the text format. */
  readonly module: string;
}

/** Whether this test file's apps come with a native image, which runs in place of the module (`../native-images`). */
const isNative = process.env["SVC_TEST_ENGINE"] === "aot";

/** Larger modules are for the interpreter's own compiler; a C compiler takes minutes for them. */
const IMAGE_LIMIT_BYTES = 64 * 1024;

/** A package with an image, unless the app is one that a console refuses. */
async function withImage(wasm: Uint8Array, fields: Partial<TestManifest>): Promise<Uint8Array> {
  if (wasm.length > IMAGE_LIMIT_BYTES) return packageOf(wasm, fields);
  try {
    const manifest = readManifest(new TextEncoder().encode(JSON.stringify(manifestOf(fields))));
    const image = await buildNativeImage(wasm, manifest, imageArchitecture);
    return packageOf(wasm, fields, undefined, { [imageArchitecture]: image });
  } catch (error) {
    if (error instanceof Fault) return packageOf(wasm, fields);
    throw error;
  }
}

/** Builds and signs the app's package. Separate from the install, since it blocks this process for a while. */
export async function packed(
  { publisher }: AppConsole,
  { module, name = "hostile", ...manifest }: HostileApp,
): Promise<Upload> {
  const wasm = await moduleOf(`(module ${module})`);
  const fields = { capabilities: ALL_CAPABILITIES, ...manifest, name };
  const file = isNative ? await withImage(wasm, fields) : packageOf(wasm, fields);
  return { file, signature: publisher.sign(file) };
}

/** Installs the app and expects 200. */
export async function mustInstall(console: AppConsole, app: HostileApp): Promise<void> {
  const { status, body } = await installOverHttp(console, await packed(console, app));
  expect({ status, body }).toMatchObject({ status: 200, body: { name: app.name ?? "hostile" } });
}

/** Starts a console and warms it up with some requests. */
export async function startHostileConsole(options: ConsoleOptions = {}): Promise<AppConsole> {
  const console = await startAppConsole(options);
  const prober = new Prober(console);
  await prober.answers(50);
  await prober.stop();
  return console;
}

/** Stops the console; expects status 0 and no sanitizer report. */
export async function stopCleanly(console: AppConsole): Promise<void> {
  expect(await console.stop()).toBe(0);
  expect(console.stderr.filter((line) => /Sanitizer|runtime error/.test(line))).toEqual([]);
}

/**
 * Requests the status repeatedly on one connection and counts the answers. `npm run bench -- hostile` measures their
 * latency.
 */
export class Prober {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #address: string;
  readonly #done: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #isStopping = false;
  #answered = 0;

  constructor(console: Pick<AppConsole, "http">) {
    this.#address = `${console.http}/api/status`;
    this.#done = this.#run();
  }

  get answered(): number {
    return this.#answered;
  }

  /** Resolves once `count` more requests have been answered. */
  async answers(count: number): Promise<void> {
    const wanted = this.#answered + count;
    while (this.#answered < wanted)
      await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), this.#done]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#ask();
      this.#answered++;
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
  }

  #ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = http.get(this.#address, { agent: this.#agent }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`The status is answered ${answer.statusCode}`));
        answer.resume().once("end", resolve).once("error", reject);
      });
      request.once("error", reject);
    });
  }
}

/** Runs `use` while a {@link Prober} requests the status, which must be answered every time. */
export async function whileProbed<Result>(
  console: AppConsole,
  use: (prober: Prober) => Promise<Result>,
): Promise<Result> {
  const prober = new Prober(console);
  try {
    return await use(prober);
  } finally {
    await prober.stop();
    expect(prober.answered).toBeGreaterThan(0);
  }
}

/** `POST /api/apps/stop`; expects the app to be stopped. @returns its entry afterwards */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function stopApp(console: AppConsole, name = "hostile"): Promise<any> {
  const { status, body } = await console.app("stop", name);
  expect({ status, body }).toMatchObject({ status: 200, body: { name, state: "stopped" } });
  return body;
}
