/**
 * The loop of `svc app dev`: builds an app's sources and installs the result on the console, repeatedly. One step at a
 * time; events during a step, such as a save or a console that reconnects, are handled next.
 *
 * The loop compares the app on the console with the latest build, rather than remembering steps: a console that was
 * away gets what it lacks, for whatever reason.
 */

/** @typedef {import("../../device-client/device.ts").Device} Device */
/** @typedef {import("../../protocol/device/answers.ts").AppEntry} AppEntry */

/**
 * @typedef {object} SignedApp
 * @property {string} name
 * @property {string} version
 * @property {Uint8Array} file the package
 * @property {string} signature
 * @property {number} savedAt when its sources were saved, as `performance.now()` tells it
 */

/**
 * @typedef {object} DevLoopOptions
 * @property {(savedAt: number) => Promise<SignedApp>} build
 * @property {(stage: Stage, error: unknown) => void} onFailed
 * @property {(app: SignedApp) => void} onBuilt
 * @property {(app: SignedApp) => void} onInstalled
 * @property {(app: SignedApp, isAgain: boolean) => void} onStarted `isAgain`: the console had restarted
 * @property {(app: SignedApp, uptimeMs: number) => void} onStarting
 * @property {(uptimeMs: number) => void} onStartDone infinite where the console did not tell
 * @property {AbortSignal} signal
 */
/** @typedef {"build" | "install" | "start"} Stage */

/** Codes of a console that cannot be reached now. */
const AWAY = new Set(["device_lost", "device_timeout", "device_unreachable"]);
/** After which it is tried again, unless it has been told meanwhile that the console is away. */
const RETRY_MS = 500;

export class DevLoop {
  #options;
  /** When sources were saved that were not built yet. @type {number | undefined} */
  #savedAt;
  /** @type {SignedApp | undefined} */
  #built;
  /** What the console has, or has refused. @type {SignedApp | undefined} */
  #settled;
  /** @type {Device | undefined} */
  #device;
  /** The app has been started, and has not ended by itself. */
  #isToRun = false;
  /** The console was away since it was looked at last. */
  #isToLook = false;
  /** @type {() => void} */
  #wake = () => {};

  /** @param {DevLoopOptions} options */
  constructor(options) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#wake());
  }

  /** @param {number} at as `performance.now()` tells it */
  saved(at) {
    this.#savedAt ??= at;
    this.#wake();
  }

  /** @param {Device | undefined} device the console, or nothing while it is away */
  reach(device) {
    this.#isToLook ||= device !== undefined && this.#settled !== undefined;
    this.#device = device;
    this.#wake();
  }

  /** The app has come to an end by itself: it is not started again until it is changed. */
  ended() {
    this.#isToRun = false;
  }

  /** Settles once `signal` aborts. */
  async run() {
    while (!this.#options.signal.aborted) {
      if (this.#savedAt !== undefined) await this.#build(this.#savedAt);
      else if (this.#device && this.#isToLook) await this.#look(this.#device);
      else if (this.#device && this.#built && this.#built !== this.#settled)
        await this.#deploy(this.#device, this.#built);
      else await this.#rest();
    }
  }

  /** Until something happens. @param {number} [timeoutMs] or until then @returns {Promise<void>} */
  async #rest(timeoutMs) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    await new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }

  /** @param {number} savedAt */
  async #build(savedAt) {
    this.#savedAt = undefined;
    try {
      this.#built = await this.#options.build(savedAt);
      this.#options.onBuilt(this.#built);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.onFailed("build", error); // the app that was there stays
    }
  }

  /** @param {Device} device @param {SignedApp} app */
  async #deploy(device, app) {
    const { signal } = this.#options;
    const outcome = await this.#attempt("install", app, async () => {
      await device.install({ file: app.file, signature: app.signature, signal });
      this.#options.onInstalled(app);
    });
    if (outcome === "done") await this.#start(device, app, false);
  }

  /** @param {Device} device @param {SignedApp} app @param {boolean} isAgain */
  async #start(device, app, isAgain) {
    return this.#attempt("start", app, async () => {
      this.#options.onStarting(app, (await device.status()).uptime_ms);
      this.#isToRun = true; // before it can end
      await device.start(app.name);
      this.#settled = app;
      this.#options.onStarted(app, isAgain);
      const after = await device.status().catch(() => undefined); // it does run
      this.#options.onStartDone(after?.uptime_ms ?? Number.POSITIVE_INFINITY);
    });
  }

  /** Whether a console that is back has the app, and runs it. @param {Device} device */
  async #look(device) {
    this.#isToLook = false;
    const app = this.#settled;
    if (!app || app !== this.#built) return;
    /** @type {AppEntry | undefined} */
    let entry;
    let outcome = await this.#attempt("start", app, async () => {
      entry = (await device.apps()).find(({ name }) => name === app.name);
    });
    if (outcome === "done" && !entry) this.#settled = undefined;
    else if (entry?.state === "stopped" && this.#isToRun) outcome = await this.#start(device, app, true);
    this.#isToLook ||= outcome === "away";
  }

  /**
   * @param {Stage} stage
   * @param {SignedApp} app
   * @param {() => Promise<void>} work
   * @returns {Promise<"done" | "away" | "refused">} `away`: it is to be tried again, and there was time in between;
   *   `refused`: it is tried again once there is something else to try
   */
  async #attempt(stage, app, work) {
    try {
      await work();
      return "done";
    } catch (error) {
      const { code = "" } = /** @type {{ code?: string }} */ (error);
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
