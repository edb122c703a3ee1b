/**
 * Malicious apps on the real console: installs and runs one while a client polls the console's status
 * (docs/spec/apps.md#running defines how each ends).
 */
import http from "node:http";
import { expect } from "vitest";
import { installOverHttp, type Upload } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf, type TestManifest } from "../../hosts/app-files.js";
import type { ConsoleOptions } from "../../hosts/simulator.js";

/** Everything that a manifest can ask for. */
export const ALL_CAPABILITIES = Object.freeze([
  ...["display.write", "gpio.read", "gpio.write", "storage.read", "storage.write"],
  ...["network.use", "ble.use", "app.control"],
]);

/** What a manifest may ask for at most (device/services/apps/limits.ts). */
export const LARGEST_QUOTA_BYTES = 4 * 1024 * 1024;

export interface HostileApp extends Partial<TestManifest> {
  /** The fields of a module in the text format. */
  readonly module: string;
}

/** Its package, signed by the console's publisher. Apart from the install, for it takes this process a while. */
export async function packed(
  { publisher }: AppConsole,
  { module, name = "hostile", ...manifest }: HostileApp,
): Promise<Upload> {
  const wasm = await moduleOf(`(module ${module})`);
  const file = packageOf(wasm, { capabilities: ALL_CAPABILITIES, ...manifest, name });
  return { file, signature: publisher.sign(file) };
}

/** Installs it where that has to go well. */
export async function mustInstall(console: AppConsole, app: HostileApp): Promise<void> {
  const { status, body } = await installOverHttp(console, await packed(console, app));
  expect({ status, body }).toMatchObject({ status: 200, body: { name: app.name ?? "hostile" } });
}

/** A console that has answered before, so that nothing is done for the first time while it is looked at. */
export async function startHostileConsole(options: ConsoleOptions = {}): Promise<AppConsole> {
  const console = await startAppConsole(options);
  const prober = new Prober(console);
  await prober.answers(50);
  await prober.stop();
  return console;
}

/** Ends it, which has to go well, with nothing to be said by the sanitizers. */
export async function endInPeace(console: AppConsole): Promise<void> {
  expect(await console.stop()).toBe(0);
  expect(console.stderr.filter((line) => /Sanitizer|runtime error/.test(line))).toEqual([]);
}

/**
 * Asks for the status again and again on one connection, and counts the answers. How long they take is measured by
 * `npm run bench -- hostile`.
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

  /** Returns once `count` more questions have been answered. */
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

/** Runs `use` while the status is asked for, which must be answered all the while. */
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

/** `POST /api/apps/stop`, which has to end the app. @returns the entry of the app afterwards */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function stopApp(console: AppConsole, name = "hostile"): Promise<any> {
  const { status, body } = await console.app("stop", name);
  expect({ status, body }).toMatchObject({ status: 200, body: { name, state: "stopped" } });
  return body;
}
