/**
 * Malicious apps on the real console: installs and runs one while a client polls the console's status
 * (docs/spec/apps.md#running defines how each ends).
 */
import http from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { installOverHttp, type Upload } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf, type TestManifest } from "../../hosts/app-files.js";
import type { ConsoleOptions } from "../../hosts/simulator.js";
import { countStolenMs } from "../../hosts/stolen-time.js";

/** Everything that a manifest can ask for. */
export const ALL_CAPABILITIES = Object.freeze([
  ...["display.write", "gpio.read", "gpio.write", "storage.read", "storage.write"],
  ...["network.use", "ble.use", "app.control"],
]);

/** What a manifest may ask for at most (device/services/apps/limits.ts). */
export const LARGEST_QUOTA_BYTES = 4 * 1024 * 1024;

/** How soon any app stops (docs/spec/apps.md#stop-time). */
export const STOP_LIMIT_MS = 1000;

/**
 * `GET /api/status` is answered within 50 ms whatever apps do. The sanitizer's build runs the same program
 * several times slower, and its figure only says that nothing waits for an app.
 */
export const ANSWER_LIMIT_MS = process.env["SVC_SIM_VARIANT"] === "asan" ? 500 : 50;

/**
 * For tests that look at how long something takes: what else the machine does may be in the way once, while an
 * app that keeps the console waiting does so each time.
 */
export const TIMED = Object.freeze({ retry: 2 });

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

const PAUSE_MS = 2;

/** Asks for the status again and again on one connection, and keeps the longest time that an answer took. */
export class Prober {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #address: string;
  readonly #done: Promise<void>;
  #isStopping = false;
  #answered = 0;
  #worstMs = 0;
  #lateMs = 0;

  constructor(console: Pick<AppConsole, "http">) {
    this.#address = `${console.http}/api/status`;
    this.#done = this.#run();
  }

  /** Returns once `count` more questions have been answered. */
  async answers(count: number): Promise<void> {
    const wanted = this.#answered + count;
    while (this.#answered < wanted) {
      await Promise.race([pause(5), this.#done]);
    }
  }

  /** @returns the longest that an answer took, in milliseconds */
  async stop(): Promise<number> {
    this.#isStopping = true;
    await this.#done;
    this.#agent.destroy();
    return this.#worstMs;
  }

  /** The longest, in milliseconds, that this process itself came late: the console may have had to wait as long. */
  get lateMs(): number {
    return this.#lateMs;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const began = performance.now();
      await this.#ask();
      const answered = performance.now();
      this.#worstMs = Math.max(this.#worstMs, answered - began);
      this.#answered++;
      await pause(PAUSE_MS);
      this.#lateMs = Math.max(this.#lateMs, performance.now() - answered - PAUSE_MS);
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

/** Runs `use` while the status is asked for, which must be answered in time all the while. */
export async function whileProbed<Result>(
  console: AppConsole,
  use: (prober: Prober) => Promise<Result>,
): Promise<Result> {
  const stolenMs = countStolenMs();
  const prober = new Prober(console);
  try {
    return await use(prober);
  } finally {
    const worstMs = await prober.stop();
    report("answer", worstMs);
    expect(worstMs).toBeLessThanOrEqual(ANSWER_LIMIT_MS + prober.lateMs + stolenMs());
  }
}

/** `POST /api/apps/stop`, which has to be answered in time. @returns the entry of the app afterwards */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function stopInTime(console: AppConsole, name = "hostile"): Promise<any> {
  const stolenMs = countStolenMs();
  const began = performance.now();
  const { status, body } = await console.app("stop", name);
  const tookMs = performance.now() - began;
  report("stop", tookMs);
  expect({ status, body }).toMatchObject({ status: 200, body: { name, state: "stopped" } });
  expect(tookMs).toBeLessThan(STOP_LIMIT_MS + stolenMs());
  return body;
}

/** Prints figures if `HOSTILE_FIGURES=1`. */
function report(what: string, milliseconds: number): void {
  if (process.env["HOSTILE_FIGURES"])
    process.stderr.write(`${expect.getState().currentTestName}: ${what} ${milliseconds.toFixed(1)} ms\n`);
}
