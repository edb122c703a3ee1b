/**
 * The console's apps, as other services see them: list, start, stop, uninstall, and the switch to a newly installed
 * version. Changes of what is installed run one after the other, each with the app stopped.
 */
import type { AppEntry, LastExit, SystemInfo } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { DeviceApp } from "../../../protocol/hub/push-messages.js";
import { canonicalAppName } from "../../../protocol/manifest/app-name.js";
import type { Directory } from "../../ports/files.js";
import type { Logger } from "../logs/log-line.js";
import { StoredFile, statusOf } from "../storage/stored-files.js";
import { BUSY, IO_ERROR, NOT_FOUND, NOT_SUPPORTED } from "./abi-results.js";
import type { AppRunner, Opening } from "./app-runner.js";
import {
  type AppRecord,
  type AppStore,
  appDirectory,
  type StagedApp,
  type StagedVariant,
} from "./app-store.js";
import type { AppControl, AppSummary } from "./guest-calls.js";
import { readLastExit } from "./last-exit.js";
import type { Installed } from "./may-replace.js";

// An app as `GET /api/apps/list` shows it (docs/spec/management-api.md#app-entry).

/** Length of a shown key, as elsewhere: for people to compare, not a proof. */
const PUBLISHER_DIGITS = 16;

type Run = Pick<AppRunner, "engineOf" | "isSuspended" | "front">;

function appEntry(record: AppRecord, run: Run, lastExit: LastExit | undefined): AppEntry {
  const { manifest, icon, variants, sizeBytes, publisher } = record;
  const engine = run.engineOf(manifest.name);
  return {
    name: manifest.name,
    version: manifest.version,
    state: engine ? "running" : "stopped",
    description: manifest.description,
    author: manifest.author,
    size_bytes: sizeBytes,
    memory_quota: manifest.memory_quota,
    capabilities: manifest.capabilities,
    variants: variants.map(({ architecture }) => architecture),
    ...(icon !== undefined && { icon: true as const }),
    ...(publisher !== undefined && { publisher: publisher.slice(0, PUBLISHER_DIGITS) }),
    ...(engine && { engine }),
    ...(run.front === manifest.name && { foreground: true as const }),
    ...(run.isSuspended(manifest.name) && { suspended: true as const }),
    ...(record.isAllowedBehind && { background: true as const }),
    ...(lastExit && { last_exit: lastExit }),
  };
}

/** The spelling by which the runner knows the app. A name that is not installed stays as it is. */
function spelled(store: AppStore, name: string): string {
  return store.spellingOf(name) ?? name;
}

/** Over HTTP or USB. */
const FROM_OUTSIDE: Opening = Object.freeze({ isInFront: true, isByUser: false });

/** Runs asynchronous work one at a time, in the order of the calls. */
class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier work has settled. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {
      // The caller receives the error; the next work only waits for the end.
    });
    return result;
  }
}

interface AppsOptions {
  readonly files: Directory;
  readonly store: AppStore;
  readonly runner: AppRunner;
  readonly logger: Logger;
  /** Called when the installed apps have changed. */
  onChange(): void;
}

export class Apps implements AppControl {
  readonly #options: AppsOptions;
  readonly #changes = new Mutex();
  /** Canonical names of the apps that are being replaced or removed and must not start. */
  readonly #changing = new Set<string>();
  /** What the scan of the SD card has found, as in `GET /api/system`; `undefined` without one. */
  cardApps: SystemInfo["card_apps"];

  constructor(options: AppsOptions) {
    this.#options = options;
  }

  /**
   * Names of the installed apps, in alphabetical order, until the next change. Callers read the entries one at a time:
   * together they do not fit the heap.
   */
  get names(): readonly string[] {
    return this.#options.store.names;
  }

  /** The next name in alphabetical order, if `name` is installed or not; `undefined` after the last. */
  nameAfter(name: string): string | undefined {
    return this.#options.store.nameAfter(name);
  }

  /** @throws {Fault} `app_not_found` */
  entry(name: string): AppEntry {
    const { files, runner, store } = this.#options;
    return appEntry(store.record(name), runner, readLastExit(files, name));
  }

  /** Why the app's last run ended; `undefined` for an app that has never ended. */
  lastExit(name: string): LastExit["reason"] | undefined {
    return readLastExit(this.#options.files, name)?.reason;
  }

  /** The icon of an app, a BMP. @throws {Fault} `app_not_found`, `icon_not_found` */
  icon(name: string): StoredFile {
    const { files, store } = this.#options;
    const { icon } = store.record(name);
    const path = `${appDirectory(name)}/${icon}`;
    const isThere = icon !== undefined && statusOf(files, path)?.isFile();
    if (!isThere) throw new Fault("icon_not_found", `"${name}" has no icon`);
    return new StoredFile(files, path);
  }

  has(name: string): boolean {
    return this.#options.store.has(name);
  }

  /** What decides whether a file may replace the app; `undefined` if no app has that name. */
  installed(name: string): Installed | undefined {
    if (!this.#options.store.has(name)) return undefined;
    const { manifest, isManifestSigned, publisher, signer } = this.#options.store.record(name);
    return {
      name: manifest.name,
      version: manifest.version,
      isManifestSigned,
      ...(publisher !== undefined && { publisher }),
      ...(signer !== undefined && { signer }),
    };
  }

  /** The app's entry in reports to the hub. @throws {Fault} `app_not_found` */
  deviceApp(name: string): DeviceApp {
    const { manifest, sizeBytes } = this.#options.store.record(name);
    return {
      name,
      version: manifest.version,
      size: sizeBytes,
      running: this.#options.runner.isRunning(name),
    };
  }

  isRunning(name: string): boolean {
    return this.#options.runner.isRunning(spelled(this.#options.store, name));
  }

  /** Name of the app in front, or `undefined`. */
  get front(): string | undefined {
    return this.#options.runner.front;
  }

  /**
   * Starts an app in front, or behind the one that is there.
   * @throws {Fault} `app_not_found`, `app_running`, `too_many_apps`, `busy`, `module_damaged`, `module_unsupported`
   */
  start(asked: string, opening: Opening = FROM_OUTSIDE): AppEntry {
    const name = spelled(this.#options.store, asked);
    if (this.#changing.has(canonicalAppName(name)))
      throw new Fault("busy", `"${name}" is being replaced or removed`);
    this.#options.runner.start(name, opening);
    return this.entry(name);
  }

  /**
   * Brings a running app to the front.
   * @param isByUser whether the user does so on the console itself
   * @throws {Fault} `app_not_found`, `app_stopped`
   */
  bringToFront(asked: string, isByUser = false): AppEntry {
    const name = this.#requireInstalled(asked);
    this.#options.runner.bringToFront(name, isByUser);
    return this.entry(name);
  }

  /**
   * Keeps whether the user lets an app run in the background (docs/spec/apps.md#background).
   * @throws {Fault} `app_not_found`, `storage_full`; then nothing has changed
   */
  allowBehind(asked: string, isAllowed: boolean): AppEntry {
    const name = spelled(this.#options.store, asked);
    this.#options.store.allowBehind(name, isAllowed);
    this.#options.runner.allowBehind(name, isAllowed);
    this.#options.onChange();
    return this.entry(name);
  }

  /** @returns the installed app's own spelling of the name */
  #requireInstalled(name: string): string {
    const spelling = this.#options.store.spellingOf(name);
    if (spelling === undefined) throw new Fault("app_not_found", `No app is named "${name}"`);
    return spelling;
  }

  /**
   * Stops an app and returns its entry once it has ended.
   * @throws {Fault} `app_not_found`, `app_stopped`
   */
  async stop(asked: string): Promise<AppEntry> {
    const name = this.#requireInstalled(asked);
    await this.#options.runner.stop(name);
    return this.entry(name);
  }

  /**
   * Stops the app if it runs, and deletes it with its stored data.
   * @throws {Fault} `app_not_found`
   */
  uninstall(name: string): Promise<void> {
    return this.#change(name, () => {
      this.#options.store.remove(name);
      this.#options.logger.info(`uninstalled "${name}"`);
    });
  }

  /** Installs the staged app, or replaces the installed app of its name. @throws {Fault} `storage_full` */
  install(app: StagedApp): Promise<AppEntry> {
    const { name } = app.manifest;
    this.#options.store.requireRoomFor(name);
    return this.#change(name, () => {
      this.#options.store.install(app);
      return this.entry(name);
    });
  }

  /** @throws {Fault} `app_not_found`, `variant_invalid` if the app has no module, `storage_full` */
  attach(name: string, variant: StagedVariant): Promise<AppEntry> {
    this.#options.store.requireModule(name); // rather than once the app is stopped
    return this.#change(name, () => {
      this.#options.store.attach(name, variant);
      return this.entry(name);
    });
  }

  startFor(name: string, caller: string): number {
    try {
      const { runner } = this.#options;
      this.start(name, { isInFront: caller === runner.front, isByUser: runner.isOfUser(caller) });
      return 0;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === "app_not_found") return NOT_FOUND;
      if (error.code === "module_unsupported") return NOT_SUPPORTED;
      return error.code === "module_damaged" ? IO_ERROR : BUSY;
    }
  }

  async stopFor(name: string): Promise<void> {
    await this.#options.runner.stop(spelled(this.#options.store, name));
  }

  summary(name: string): AppSummary {
    const { version } = this.#options.store.record(name).manifest;
    return { name, version, state: this.isRunning(name) ? "running" : "stopped" };
  }

  #change<Result>(name: string, change: () => Result): Promise<Result> {
    return this.#changes.run(async () => {
      const canonical = canonicalAppName(name);
      this.#changing.add(canonical);
      try {
        if (this.isRunning(name)) await this.stopFor(name);
        const result = change();
        this.#options.onChange();
        return result;
      } finally {
        this.#changing.delete(canonical);
      }
    });
  }
}
