/**
 * Runs apps: each in its own guest, from its start to the record of its exit. The only entry point for starting and
 * stopping.
 */

import { capabilityBits } from "../../../protocol/capabilities.js";
import type { LastExit } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import { parseJson } from "../../../protocol/json.js";
import type { Digest, DigestConstructor } from "../../../protocol/ports/crypto.js";
import type { Clock } from "../../../protocol/ports/runtime.js";
import { readKeyText } from "../../../protocol/signature/statements.js";
import type { Directory, File } from "../../ports/files.js";
import type { Guest, GuestConstructor, GuestExit, GuestOptions } from "../../ports/guest.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { LogLevel } from "../logs/log-line.js";
import type { LogService } from "../logs/log-service.js";
import { safeModeFault } from "../restart/restart.js";
import { readWhole, replaceFile, statusOf } from "../storage/stored-files.js";
import type { RevocationsFile } from "../trust/revocations-file.js";
import {
  type AppRecord,
  type AppStore,
  appDirectory,
  lastExitPath,
  SLICE_BYTES,
  type StoredModule,
} from "./app-store.js";
import type { GuestCalls } from "./guest-calls.js";

// Stores how an app's last run ended (`last_exit` in docs/spec/management-api.md#last-exit), across restarts.

const NAMES: readonly string[] = Object.freeze(["reason", "code", "message", "at_ms"]);
const LIMIT_BYTES = 4096;
const VALUES_LIMIT = 16;

/** `undefined` for an app that has never ended. */
export function readLastExit(files: Directory, name: string): LastExit | undefined {
  const path = lastExitPath(name);
  if (!statusOf(files, path)) return undefined;
  return parseJson(readWhole(files, path, LIMIT_BYTES), {
    values: VALUES_LIMIT,
    names: NAMES,
  }) as unknown as LastExit;
}

export function writeLastExit(files: Directory, name: string, lastExit: LastExit): void {
  replaceFile(files, lastExitPath(name), new TextEncoder().encode(JSON.stringify(lastExit)));
}

// Loads a module from the medium into a guest, through a few kilobytes of the heap.

interface ModuleSources {
  readonly files: Directory;
  readonly Digest: DigestConstructor;
}

/**
 * Loads a module after a check of its digest: the interpreter itself validates nothing.
 * @throws {Fault} `module_damaged` if the file differs from the stored module
 */
function loadModule(
  { files, Digest }: ModuleSources,
  name: string,
  module: StoredModule,
  guest: Guest,
): void {
  const digest = new Digest("SHA256");
  const file = files.openFile({ path: `${appDirectory(name)}/${module.file}`, mode: "r" });
  try {
    copy(file, module.byteLength, digest, guest);
  } finally {
    file.close();
  }
  if (hexadecimal(new Uint8Array(digest.close())) !== module.sha256)
    throw new Fault("module_damaged", `Cannot start "${name}": its stored module is damaged`);
}

function copy(file: File, byteLength: number, digest: Digest, guest: Guest): void {
  const piece = new Uint8Array(Math.min(SLICE_BYTES, byteLength));
  for (let position = 0; position < byteLength; ) {
    const taken = file.read(piece.subarray(0, Math.min(piece.length, byteLength - position)), position);
    if (taken === 0) return;
    const bytes = piece.subarray(0, taken);
    digest.write(bytes);
    guest.load(bytes);
    position += taken;
  }
}

interface AppRunnerOptions {
  readonly store: AppStore;
  readonly revocations: Pick<RevocationsFile, "has">;
  readonly files: Directory;
  readonly Guest: GuestConstructor;
  readonly Digest: DigestConstructor;
  readonly clock: Clock;
  /** Admits the start of an app; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
  readonly log: LogService;
  /** The console's architecture. */
  readonly architecture: string;
  /** In safe mode no app starts. */
  readonly isSafeMode?: boolean;
  /** `CONFIG_SVC_MAX_RUNNING_APPS` */
  readonly runningAppsLimit: number;
  /** `CONFIG_SVC_WASM_APP_STACK_SIZE` */
  readonly stackBytes: number;
  /** Creates the handler of an app's calls. */
  callsFor(name: string, guest: Guest): GuestCalls;
  /** Called when an app has started or ended, or come to the front. */
  onChange(): void;
  /** Called when no app is in front any more. */
  onFrontFree(): void;
}

interface RunningApp {
  readonly guest: Guest;
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
   *   `too_many_apps`, `busy`, `out_of_memory`
   */
  start(name: string, opening: Opening): void {
    const { heap, isSafeMode, store, runningAppsLimit, onChange } = this.#options;
    const record = store.record(name);
    if (isSafeMode) throw safeModeFault(`"${name}" is not started`);
    if (this.#running.has(name)) throw new Fault("app_running", `"${name}" is already running`);
    if (this.#isRevoked(record))
      throw new Fault("signature_invalid", `Cannot start "${name}": the key that signed it is revoked`);
    if (this.#running.size >= runningAppsLimit)
      throw new Fault("too_many_apps", `Cannot run more than ${runningAppsLimit} apps at the same time`);
    heap?.requireToStay(HEAP_NEEDS.runningApp);
    this.#running.set(name, this.#launch(name, record, opening));
    if (opening.isInFront) this.#front = name;
    this.#suspendBehind();
    this.#options.log.write("info", "apps", `started "${name}" ${record.manifest.version}`);
    this.#reportVariant(name, record);
    onChange();
  }

  /**
   * Logs why the module runs although there is an AOT file. Native code has no sandbox except its compiler, so it must
   * be signed within a package by a key of role `native` (docs/spec/app-packages.md#aot-native); this firmware has no
   * runtime for it in any case (docs/adr/0007).
   */
  #reportVariant(name: string, { variants }: AppRecord): void {
    const { architecture, log } = this.#options;
    const variant = variants.find((candidate) => candidate.architecture === architecture);
    if (!variant) return;
    const reason = variant.isNative
      ? "this firmware cannot run machine code"
      : "it was not signed within a package by a key of role native";
    log.write(
      "info",
      "apps",
      `"${name}" runs as a module, its AOT file for ${architecture} is ignored: ${reason}`,
    );
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
      if (!this.#running.has(name) || !this.#isRevoked(store.record(name))) continue;
      log.write("warning", "apps", `stopping "${name}": the key that signed it is revoked`);
      await this.stop(name);
    }
  }

  /** Whether the key that signed the app, or the root of its chain, is revoked. */
  #isRevoked({ publisher, signer }: AppRecord): boolean {
    const { revocations } = this.#options;
    return [publisher, signer].some((key) => key !== undefined && revocations.has(readKeyText(key)));
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

  #launch(name: string, record: AppRecord, { isInFront, isByUser }: Opening): RunningApp {
    let end: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const guest = this.#makeGuest(name, record, (exit) => {
      this.#finish(name, exit);
      end?.();
    });
    const calls = this.#options.callsFor(name, guest);
    try {
      loadModule(this.#options, name, record.module, guest);
      if (isInFront) guest.bringToFront();
      startGuest(name, guest, record.manifest.entry);
    } catch (error) {
      calls.close();
      guest.close();
      if (this.#frontApp) this.#frontApp.guest.bringToFront();
      else this.#options.onFrontFree(); // it may have been in front already, in place of the home screen
      throw error;
    }
    const isAllowedBehind = record.isAllowedBehind === true;
    return { guest, calls, ended, isOfUser: isByUser, isAllowedBehind, isSuspended: false };
  }

  #makeGuest(name: string, { manifest, module }: AppRecord, onExit: (exit: GuestExit) => void): Guest {
    const { Guest, stackBytes } = this.#options;
    const guest: Guest = createGuest(name, Guest, {
      name,
      moduleByteLength: module.byteLength,
      capabilities: capabilityBits(manifest.capabilities),
      memoryQuotaBytes: manifest.memory_quota,
      stackBytes,
      nestedBlocks: module.nestedBlocks,
      ...(module.script && { script: module.script }),
      onRequest: () => this.#running.get(name)?.calls.answerRequest(),
      onLog: () => this.#takeLog(name, guest, LINES_A_TURN),
      onExit,
    });
    return guest;
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
    this.#storeExit(name, exit);
    this.#options.onChange();
  }

  #storeExit(name: string, exit: GuestExit): void {
    const { clock, files, log } = this.#options;
    const isTrouble = exit.reason === "trap" || exit.reason === "host_error" || exit.reason === "quota";
    log.write(isTrouble ? "error" : "info", "apps", describe(name, exit));
    try {
      writeLastExit(files, name, lastExit(exit, clock.uptimeMs()));
    } catch (error) {
      log.write("warning", "apps", `cannot store the exit of "${name}": ${String(error)}`);
    }
  }
}

/** @throws {Fault} `out_of_memory` */
function createGuest(name: string, Guest: GuestConstructor, options: GuestOptions): Guest {
  try {
    return new Guest(options);
  } catch (cause) {
    throw new Fault("out_of_memory", `Cannot start "${name}": not enough memory`, { cause });
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

/** `"tetris" ended: trap: integer divide by zero in drop < step < main` */
function describe(name: string, { reason, code, message, stack }: GuestExit): string {
  const what = message === undefined ? "" : `: ${message}`;
  const where = stack?.length ? ` in ${stack.join(" < ")}` : "";
  const result = code === undefined ? "" : ` ${code}`;
  return `"${name}" ended: ${reason}${result}${what}${where}`;
}

function lastExit({ reason, code, message }: GuestExit, atMs: number): LastExit {
  return {
    reason,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    at_ms: atMs,
  };
}
