/**
 * The loop of `svc app dev`: builds an app's sources and installs the result on the console, repeatedly. One step at a
 * time; events during a step, such as a save or a console that reconnects, are handled next.
 *
 * The loop compares the app on the console with the latest build, rather than remembering steps: a console that was
 * away gets what it lacks, for whatever reason.
 */
import type { Device } from "../../device-client/device.js";
import type { AppEntry } from "../../protocol/device/answers.js";
import { isSameApp } from "../../protocol/manifest/app-name.js";

export interface SignedApp {
  readonly name: string;
  readonly version: string;
  /** The package. */
  readonly file: Uint8Array;
  readonly signature: string;
  /** Of its sources (tools/trap-lines.ts); `undefined` where none are known. */
  readonly lines: string | undefined;
  /** Time of the save, of `performance.now()`. */
  readonly savedAt: number;
}

interface DevLoopOptions {
  readonly build: (savedAt: number) => Promise<SignedApp>;
  readonly onFailed: (stage: Stage, error: unknown) => void;
  readonly onBuilt: (app: SignedApp) => void;
  readonly onInstalled: (app: SignedApp) => void;
  /** `isAgain`: started again after a restart of the console. */
  readonly onStarted: (app: SignedApp, isAgain: boolean) => void;
  readonly onStarting: (app: SignedApp, uptimeMs: number) => void;
  /** Infinite if the console did not answer. */
  readonly onStartDone: (uptimeMs: number) => void;
  readonly signal: AbortSignal;
}
type Stage = "build" | "install" | "start";

/** Codes of a console that cannot be reached now. */
const AWAY = new Set(["device_lost", "device_timeout", "device_unreachable"]);
/** Delay before a retry, unless the console is reported away in the meantime. */
const RETRY_MS = 500;

/** Timeout of a status request that only dates log lines. */
const STATUS_TIMEOUT_MS = 5_000;

export class DevLoop {
  #options;
  /** Time of the first save that is not built yet. */
  #savedAt: number | undefined;
  #built: SignedApp | undefined;
  /** The last app that the console accepted or rejected. */
  #settled: SignedApp | undefined;
  #device: Device | undefined;
  /** The app was started, and has not ended by itself. */
  #isToRun = false;
  /** The console was away since the last check. */
  #isToCheck = false;
  #wake: () => void = () => {};

  constructor(options: DevLoopOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#wake());
  }

  /** @param at time of the save, of `performance.now()` */
  saved(at: number): void {
    this.#savedAt ??= at;
    this.#wake();
  }

  /** @param device the console, or `undefined` while it is away */
  reach(device: Device | undefined): void {
    this.#isToCheck ||= device !== undefined && this.#settled !== undefined;
    this.#device = device;
    this.#wake();
  }

  /** The app ended by itself: it is not started again before its next change. */
  ended(): void {
    this.#isToRun = false;
  }

  /** Settles once `signal` aborts. */
  async run(): Promise<void> {
    while (!this.#options.signal.aborted) {
      if (this.#savedAt !== undefined) await this.#build(this.#savedAt);
      else if (this.#device && this.#isToCheck) await this.#check(this.#device);
      else if (this.#device && this.#built && this.#built !== this.#settled)
        await this.#deploy(this.#device, this.#built);
      else await this.#rest();
    }
  }

  /**
   * Waits for the next event.
   * @param timeoutMs longest wait
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
      if (!this.#options.signal.aborted) this.#options.onFailed("build", error); // the installed app stays
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
      this.#isToRun = true; // before the app can end
      await device.start(app.name);
      this.#settled = app;
      this.#options.onStarted(app, isAgain);
      // The app runs: a late answer must not delay the next save.
      const after = await device.status(AbortSignal.timeout(STATUS_TIMEOUT_MS)).catch(() => undefined);
      this.#options.onStartDone(after?.uptime_ms ?? Number.POSITIVE_INFINITY);
    });
  }

  /** Checks that a returned console has the app and runs it. */
  async #check(device: Device): Promise<void> {
    this.#isToCheck = false;
    const app = this.#settled;
    if (!app || app !== this.#built) return;
    let entry: AppEntry | undefined;
    let outcome = await this.#attempt("start", app, async () => {
      entry = (await device.apps()).find(({ name }) => isSameApp(name, app.name));
    });
    if (outcome === "done" && !entry) this.#settled = undefined;
    else if (entry?.state === "stopped" && this.#isToRun) outcome = await this.#start(device, app, true);
    this.#isToCheck ||= outcome === "away";
  }

  /**
   * @returns `away`: retry, after a delay that has passed; `refused`: retry only after a change
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
