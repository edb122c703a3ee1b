/**
 * The loop of `svc app dev`: builds an app's sources and installs the result on the console, repeatedly. One step at a
 * time; events during a step, such as a save or a console that reconnects, are handled next.
 *
 * The loop compares the app on the console with the latest build, rather than remembering steps: a console that was
 * away gets what it lacks, for whatever reason.
 */
import type { Device } from "../../device-client/device.js";
import type { AppEntry } from "../../protocol/device/answers.js";

export interface SignedApp {
  readonly name: string;
  readonly version: string;
  /** The package. */
  readonly file: Uint8Array;
  readonly signature: string;
  /** When its sources were saved, as `performance.now()` tells it. */
  readonly savedAt: number;
}

interface DevLoopOptions {
  readonly build: (savedAt: number) => Promise<SignedApp>;
  readonly onFailed: (stage: Stage, error: unknown) => void;
  readonly onBuilt: (app: SignedApp) => void;
  readonly onInstalled: (app: SignedApp) => void;
  /** `isAgain`: the console had restarted. */
  readonly onStarted: (app: SignedApp, isAgain: boolean) => void;
  readonly onStarting: (app: SignedApp, uptimeMs: number) => void;
  /** Infinite where the console did not tell. */
  readonly onStartDone: (uptimeMs: number) => void;
  readonly signal: AbortSignal;
}
type Stage = "build" | "install" | "start";

/** Codes of a console that cannot be reached now. */
const AWAY = new Set(["device_lost", "device_timeout", "device_unreachable"]);
/** After which it is tried again, unless it has been told meanwhile that the console is away. */
const RETRY_MS = 500;

/** For a status that only dates the lines of a log. */
const STATUS_TIMEOUT_MS = 5_000;

export class DevLoop {
  #options;
  /** When sources were saved that were not built yet. */
  #savedAt: number | undefined;
  #built: SignedApp | undefined;
  /** What the console has, or has refused. */
  #settled: SignedApp | undefined;
  #device: Device | undefined;
  /** The app has been started, and has not ended by itself. */
  #isToRun = false;
  /** The console was away since it was looked at last. */
  #isToLook = false;
  #wake: () => void = () => {};

  constructor(options: DevLoopOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#wake());
  }

  /** @param at as `performance.now()` tells it */
  saved(at: number): void {
    this.#savedAt ??= at;
    this.#wake();
  }

  /** @param device the console, or nothing while it is away */
  reach(device: Device | undefined): void {
    this.#isToLook ||= device !== undefined && this.#settled !== undefined;
    this.#device = device;
    this.#wake();
  }

  /** The app has come to an end by itself: it is not started again until it is changed. */
  ended(): void {
    this.#isToRun = false;
  }

  /** Settles once `signal` aborts. */
  async run(): Promise<void> {
    while (!this.#options.signal.aborted) {
      if (this.#savedAt !== undefined) await this.#build(this.#savedAt);
      else if (this.#device && this.#isToLook) await this.#check(this.#device);
      else if (this.#device && this.#built && this.#built !== this.#settled)
        await this.#deploy(this.#device, this.#built);
      else await this.#rest();
    }
  }

  /**
   * Until something happens.
   * @param timeoutMs or until then
   */
  async #rest(timeoutMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }

  async #build(savedAt: number): Promise<void> {
    this.#savedAt = undefined;
    try {
      this.#built = await this.#options.build(savedAt);
      this.#options.onBuilt(this.#built);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.onFailed("build", error); // the app that was there stays
    }
  }

  async #deploy(device: Device, app: SignedApp): Promise<void> {
    const { signal } = this.#options;
    const outcome = await this.#attempt("install", app, async () => {
      await device.install({ file: app.file, signature: app.signature, signal });
      this.#options.onInstalled(app);
    });
    if (outcome === "done") await this.#start(device, app, false);
  }

  async #start(device: Device, app: SignedApp, isAgain: boolean) {
    return this.#attempt("start", app, async () => {
      this.#options.onStarting(app, (await device.status()).uptime_ms);
      this.#isToRun = true; // before it can end
      await device.start(app.name);
      this.#settled = app;
      this.#options.onStarted(app, isAgain);
      // It does run: where the answer is late, the next save must not wait for it.
      const after = await device.status(AbortSignal.timeout(STATUS_TIMEOUT_MS)).catch(() => undefined);
      this.#options.onStartDone(after?.uptime_ms ?? Number.POSITIVE_INFINITY);
    });
  }

  /** Whether a console that is back has the app, and runs it. */
  async #check(device: Device): Promise<void> {
    this.#isToLook = false;
    const app = this.#settled;
    if (!app || app !== this.#built) return;
    let entry: AppEntry | undefined;
    let outcome = await this.#attempt("start", app, async () => {
      entry = (await device.apps()).find(({ name }) => name === app.name);
    });
    if (outcome === "done" && !entry) this.#settled = undefined;
    else if (entry?.state === "stopped" && this.#isToRun) outcome = await this.#start(device, app, true);
    this.#isToLook ||= outcome === "away";
  }

  /**
   * @returns `away`: it is to be tried again, and there was time in between;
   *   `refused`: it is tried again once there is something else to try
   */
  async #attempt(
    stage: Stage,
    app: SignedApp,
    work: () => Promise<void>,
  ): Promise<"done" | "away" | "refused"> {
    try {
      await work();
      return "done";
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (this.#options.signal.aborted) return "refused";
      if (AWAY.has(code)) {
        await this.#rest(RETRY_MS);
        return "away";
      }
      this.#settled = app;
      this.#options.onFailed(stage, error);
      return "refused";
    }
  }
}
