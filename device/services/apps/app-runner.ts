/**
 * Runs apps: each in its own guest, from its start to the record of its exit. The only entry point for starting and
 * stopping.
 */

import { Fault } from "../../../protocol/fault.js";
import type { Clock } from "../../../protocol/ports/runtime.js";
import type { Guest, GuestExit } from "../../ports/guest.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { LogLevel } from "../logs/log-line.js";
import { safeModeFault } from "../restart/restart.js";
import {
  type AppLoaderOptions,
  type Engine,
  findImage,
  isRevoked,
  loadApp,
  withoutImage,
} from "./app-loader.js";
import type { AppRecord, AppStore } from "./app-store.js";
import type { GuestCalls } from "./guest-calls.js";
import { describeExit, lastExitOf, writeLastExit } from "./last-exit.js";
import { isRefusal } from "./native-image-file.js";

interface AppRunnerOptions extends AppLoaderOptions {
  readonly store: AppStore;
  readonly clock: Clock;
  /** Admits the start of an app; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
  /** In safe mode no app starts. */
  readonly isSafeMode?: boolean;
  /** `CONFIG_SVC_MAX_RUNNING_APPS` */
  readonly runningAppsLimit: number;
  /** Creates the handler of an app's calls. */
  callsFor(name: string, guest: Guest): GuestCalls;
  /** Called when an app has started or ended, or come to the front. @param crash how it has failed, if it has */
  onChange(crash?: AppCrash): void;
  /** Called when no app is in front any more. */
  onFrontFree(): void;
}

/** The end of an app by a trap or another failure. */
export interface AppCrash {
  readonly name: string;
  /** What the log says of it. */
  readonly line: string;
}

interface RunningApp {
  readonly guest: Guest;
  readonly engine: Engine;
  readonly calls: GuestCalls;
  /** Resolves once the app has ended and its exit is stored. */
  readonly ended: Promise<void>;
  /** Whether the user has opened or left it on the console itself: then it runs in the background only if allowed. */
  isOfUser: boolean;
  /** Whether the user lets it run in the background. */
  isAllowedBehind: boolean;
  isSuspended: boolean;
}

/** How an app is opened. */
export interface Opening {
  /** Whether it gets the display and the buttons. */
  readonly isInFront: boolean;
  /** Whether the user opens it on the console itself, or an app that he has opened there does. */
  readonly isByUser: boolean;
}

const LEVELS: readonly LogLevel[] = Object.freeze(["debug", "info", "warning", "error"]);

/** Log lines of an app written per turn: at most a millisecond. */
const LINES_A_TURN = 4;

/** Log lines written at an app's end: all that a guest can queue. */
const LINES_LEFT = 32;

export class AppRunner {
  readonly #options: AppRunnerOptions;
  readonly #running = new Map<string, RunningApp>();
  #front: string | undefined;

  constructor(options: AppRunnerOptions) {
    this.#options = options;
  }

  /** Names of the running apps, in order of their start. */
  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** What runs it; `undefined` if it is not running. */
  engineOf(name: string): Engine | undefined {
    return this.#running.get(name)?.engine;
  }

  /** Name of the app in front, which has the display and the buttons; `undefined` once it has ended. */
  get front(): string | undefined {
    return this.#front;
  }

  /** Whether the app gets no time (docs/spec/apps.md#suspended). */
  isSuspended(name: string): boolean {
    return this.#running.get(name)?.isSuspended ?? false;
  }

  /** Whether the user has opened or left the running app on the console itself. */
  isOfUser(name: string): boolean {
    return this.#running.get(name)?.isOfUser ?? false;
  }

  /**
   * @param isByUser whether the user brings it there on the console itself
   * @throws {Fault} `app_stopped` if it is not running
   */
  bringToFront(name: string, isByUser: boolean): void {
    const app = this.#runningApp(name);
    app.guest.bringToFront();
    app.isOfUser ||= isByUser;
    this.#front = name;
    this.#suspendBehind();
    this.#options.log.write("debug", "apps", `"${name}" is in front`);
    this.#options.onChange();
  }

  /** The user leaves the app in front for the home screen. */
  goHome(): void {
    const app = this.#frontApp;
    if (!app) return;
    app.isOfUser = true;
    this.#freeFront();
    this.#suspendBehind();
    this.#options.onChange();
  }

  /** The user's choice for an app has changed: it counts from now on. */
  allowBehind(name: string, isAllowed: boolean): void {
    const app = this.#running.get(name);
    if (app) app.isAllowedBehind = isAllowed;
    this.#suspendBehind();
  }

  /** Suspends the user's apps that are behind and may not run there, and has the others go on. */
  #suspendBehind(): void {
    for (const [name, app] of this.#running) {
      const isSuspended = app.isOfUser && !app.isAllowedBehind && name !== this.#front;
      if (isSuspended === app.isSuspended) continue;
      app.isSuspended = isSuspended;
      if (isSuspended) app.guest.suspend();
      else app.guest.resume();
    }
  }

  #freeFront(): void {
    this.#front = undefined;
    this.#options.onFrontFree();
  }

  get #frontApp(): RunningApp | undefined {
    return this.#front === undefined ? undefined : this.#running.get(this.#front);
  }

  #runningApp(name: string): RunningApp {
    const app = this.#running.get(name);
    if (!app) throw new Fault("app_stopped", `"${name}" is not running`);
    return app;
  }

  /**
   * @throws {Fault} `app_not_found`, `safe_mode`, `app_running`, `signature_invalid` if its publisher's key is revoked,
   *   `too_many_apps`, `busy`, `out_of_memory`, `module_damaged`, and `module_unsupported` for machine code alone that this
   *   firmware does not run
   */
  start(name: string, opening: Opening): void {
    const { heap, isSafeMode, store, runningAppsLimit, onChange } = this.#options;
    const record = store.record(name);
    if (isSafeMode) throw safeModeFault(`"${name}" is not started`);
    if (this.#running.has(name)) throw new Fault("app_running", `"${name}" is already running`);
    if (isRevoked(this.#options, record))
      throw new Fault(
        "signature_invalid",
        `Cannot start "${name}": the key that signed it is revoked or removed`,
      );
    if (this.#running.size >= runningAppsLimit)
      throw new Fault("too_many_apps", `Cannot run more than ${runningAppsLimit} apps at the same time`);
    heap?.requireToStay(HEAP_NEEDS.runningApp);
    this.#running.set(name, this.#launch(name, record, opening));
    if (opening.isInFront) this.#front = name;
    this.#suspendBehind();
    this.#options.log.write("info", "apps", `started "${name}" ${record.manifest.version}`);
    onChange();
  }

  /**
   * Stops an app; resolves once it has ended.
   * @throws {Fault} `app_stopped` if it is not running
   */
  async stop(name: string): Promise<void> {
    const app = this.#runningApp(name);
    app.guest.stop();
    await app.ended;
  }

  /** Stops the apps whose publisher's key is revoked; resolves once they have ended. */
  async stopRevoked(): Promise<void> {
    const { log, store } = this.#options;
    for (const name of this.names) {
      if (!this.#running.has(name) || !this.#runsRevoked(name, store.record(name))) continue;
      log.write("warning", "apps", `stopping "${name}": the key that signed it is revoked or removed`);
      await this.stop(name);
    }
  }

  /** Whether a revoked key has signed the app, or the image that runs in its place. */
  #runsRevoked(name: string, record: AppRecord): boolean {
    if (isRevoked(this.#options, record)) return true;
    if (this.engineOf(name) !== "aot") return false;
    const image = findImage(this.#options, record);
    return isRefusal(image) && image.code === "signature_invalid";
  }

  /** Stops every app, at the end of the run. */
  close(): void {
    for (const { guest } of this.#running.values()) guest.stop(); // stop all first, then wait for each
    for (const [name, { guest, calls }] of this.#running) {
      calls.close();
      guest.close();
      this.#storeExit(name, { reason: "stopped" });
    }
    this.#running.clear();
    this.#front = undefined;
  }

  #launch(name: string, record: AppRecord, opening: Opening): RunningApp {
    const { isInFront, isByUser } = opening;
    let end: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const onExit = (exit: GuestExit) => {
      this.#finish(name, exit);
      end?.();
    };
    const { guest, engine } = loadApp(this.#options, name, record, {
      onRequest: () => this.#running.get(name)?.calls.answerRequest(),
      onLog: (loaded) => this.#takeLog(name, loaded, LINES_A_TURN),
      onExit,
    });
    const calls = this.#options.callsFor(name, guest);
    try {
      if (isInFront) guest.bringToFront();
      startGuest(name, guest, record.manifest.entry);
    } catch (error) {
      calls.close();
      guest.close();
      if (engine === "aot" && record.module)
        return this.#launch(
          name,
          withoutImage(this.#options, name, record, "no thread is free for it"),
          opening,
        );
      if (this.#frontApp) this.#frontApp.guest.bringToFront();
      else this.#options.onFrontFree(); // it may have been in front already, in place of the home screen
      throw error;
    }
    const isAllowedBehind = record.isAllowedBehind === true;
    return { guest, engine, calls, ended, isOfUser: isByUser, isAllowedBehind, isSuspended: false };
  }

  /**
   * Writes at most `limit` lines; the rest follows in a later turn, so that an app that logs endlessly blocks nothing.
   */
  #takeLog(name: string, guest: Guest, limit: number): void {
    const { log } = this.#options;
    for (let taken = 0; taken < limit; taken++) {
      const line = guest.takeLog();
      if (!line) return;
      if (line.lost > 0) log.write("warning", `app/${name}`, `${line.lost} lines were lost: logged too fast`);
      log.write(LEVELS[line.level] ?? "info", `app/${name}`, line.text);
    }
  }

  #finish(name: string, exit: GuestExit): void {
    const app = this.#running.get(name);
    if (!app) return;
    this.#takeLog(name, app.guest, LINES_LEFT);
    app.calls.close();
    app.guest.close();
    this.#running.delete(name);
    if (this.#front === name) this.#freeFront();
    this.#options.onChange(this.#storeExit(name, exit));
  }

  /** @returns the crash that it was, if it was one */
  #storeExit(name: string, exit: GuestExit): AppCrash | undefined {
    const { clock, files, log } = this.#options;
    const isTrouble = exit.reason === "trap" || exit.reason === "host_error" || exit.reason === "quota";
    const line = describeExit(name, exit);
    log.write(isTrouble ? "error" : "info", "apps", line);
    try {
      writeLastExit(files, name, lastExitOf(exit, clock.uptimeMs()));
    } catch (error) {
      log.write("warning", "apps", `cannot store the exit of "${name}": ${String(error)}`);
    }
    return isTrouble ? { name, line } : undefined;
  }
}

/** @throws {Fault} `out_of_memory` */
function startGuest(name: string, guest: Guest, entry: string): void {
  try {
    guest.start(entry);
  } catch (cause) {
    throw new Fault("out_of_memory", `Cannot start "${name}": no thread is free`, { cause });
  }
}
