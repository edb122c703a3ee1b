/**
 * Runs apps: each in a guest of its own, from its start to the record of how it ended. The only entry point for
 * starting and stopping.
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

// How an app's last run ended (`last_exit` in docs/spec/management-api.md#last-exit), kept over restarts.

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
 * The interpreter believes what it is given, so it is given what was validated, or nothing.
 * @throws {Fault} `module_damaged` where the file is not what was stored
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
  /** Asked before an app starts; left out: there is always room. */
  readonly heap?: HeapAdmission | undefined;
  readonly log: LogService;
  /** Of the console. */
  readonly architecture: string;
  /** After crashes in a row nothing is started. */
  readonly isSafeMode?: boolean;
  /** `CONFIG_SVC_MAX_RUNNING_APPS` */
  readonly runningAppsLimit: number;
  /** `CONFIG_SVC_WASM_APP_STACK_SIZE` */
  readonly stackBytes: number;
  /** Answers what an app asks of services. */
  callsFor(name: string, guest: Guest): GuestCalls;
  /** An app has started or ended. */
  onChange(): void;
}

interface RunningApp {
  readonly guest: Guest;
  readonly calls: GuestCalls;
  /** Settles once the app has ended and its last exit is kept. */
  readonly ended: Promise<void>;
}

const LEVELS: readonly LogLevel[] = Object.freeze(["debug", "info", "warning", "error"]);

/** Lines of an app's log that are written before other work gets a turn: a millisecond at the worst. */
const LINES_A_TURN = 4;

/** As many as a guest keeps. */
const LINES_LEFT = 32;

export class AppRunner {
  readonly #options: AppRunnerOptions;
  readonly #running = new Map<string, RunningApp>();

  constructor(options: AppRunnerOptions) {
    this.#options = options;
  }

  /** Names of the running apps, in the order of their start. */
  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /**
   * @throws {Fault} `app_not_found`, `safe_mode`, `app_running`, `signature_invalid` where its publisher's key is
   * revoked,
   *   `too_many_apps`, `busy`, `out_of_memory`
   */
  start(name: string): void {
    const { heap, isSafeMode, store, runningAppsLimit, onChange } = this.#options;
    const record = store.record(name);
    if (isSafeMode) throw safeModeFault(`"${name}" is not started`);
    if (this.#running.has(name)) throw new Fault("app_running", `"${name}" is running already`);
    if (this.#isRevoked(record))
      throw new Fault("signature_invalid", `Cannot start "${name}": the key that signed it is revoked`);
    if (this.#running.size >= runningAppsLimit)
      throw new Fault("too_many_apps", `Cannot run more than ${runningAppsLimit} apps at the same time`);
    heap?.requireToStay(HEAP_NEEDS.runningApp);
    this.#running.set(name, this.#launch(name, record));
    this.#options.log.write("info", "apps", `started "${name}" ${record.manifest.version}`);
    this.#reportVariant(name, record);
    onChange();
  }

  /**
   * The module runs, whatever AOT file there is: one that no key of role `native` signed within a package may not,
   * since native code has no sandbox but its compiler (docs/spec/app-packages.md#aot-native), and one that may finds no
   * runtime here (docs/adr/0007).
   */
  #reportVariant(name: string, { variants }: AppRecord): void {
    const { architecture, log } = this.#options;
    const variant = variants.find((candidate) => candidate.architecture === architecture);
    if (!variant) return;
    const reason = variant.isNative
      ? "this firmware runs no machine code"
      : "no key of role native has signed it within a package";
    log.write(
      "info",
      "apps",
      `"${name}" runs as a module, its AOT file for ${architecture} stays unused: ${reason}`,
    );
  }

  /**
   * Returns once the app has ended.
   * @throws {Fault} `app_stopped` where it does not run
   */
  async stop(name: string): Promise<void> {
    const app = this.#running.get(name);
    if (!app) throw new Fault("app_stopped", `"${name}" is not running`);
    app.guest.stop();
    await app.ended;
  }

  /** Ends the apps whose publisher's key is revoked; returns once they have ended. */
  async stopRevoked(): Promise<void> {
    const { log, store } = this.#options;
    for (const name of this.names) {
      if (!this.#running.has(name) || !this.#isRevoked(store.record(name))) continue;
      log.write("warning", "apps", `"${name}" is stopped: the key that signed it is revoked`);
      await this.stop(name);
    }
  }

  /** Whether the key that signed it, or the root of that key's chain, is. */
  #isRevoked({ publisher, signer }: AppRecord): boolean {
    const { revocations } = this.#options;
    return [publisher, signer].some((key) => key !== undefined && revocations.has(readKeyText(key)));
  }

  /** Ends every app: the console is about to end too. */
  close(): void {
    for (const { guest } of this.#running.values()) guest.stop(); // all at once, then one after the other
    for (const [name, { guest, calls }] of this.#running) {
      calls.close();
      guest.close();
      this.#account(name, { reason: "stopped" });
    }
    this.#running.clear();
  }

  #launch(name: string, record: AppRecord): RunningApp {
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
      begin(name, guest, record.manifest.entry);
    } catch (error) {
      calls.close();
      guest.close();
      throw error;
    }
    return { guest, calls, ended };
  }

  #makeGuest(name: string, { manifest, module }: AppRecord, onExit: (exit: GuestExit) => void): Guest {
    const { Guest, stackBytes } = this.#options;
    const guest: Guest = made(name, Guest, {
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

  /** The remaining lines call back again, so that an app which writes without end does not block other work. */
  #takeLog(name: string, guest: Guest, limit: number): void {
    const { log } = this.#options;
    for (let taken = 0; taken < limit; taken++) {
      const line = guest.takeLog();
      if (!line) return;
      if (line.lost > 0) log.write("warning", `app/${name}`, `${line.lost} lines came too fast and are lost`);
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
    this.#account(name, exit);
    this.#options.onChange();
  }

  #account(name: string, exit: GuestExit): void {
    const { clock, files, log } = this.#options;
    const isTrouble = exit.reason === "trap" || exit.reason === "host_error" || exit.reason === "quota";
    log.write(isTrouble ? "error" : "info", "apps", describe(name, exit));
    try {
      writeLastExit(files, name, lastExit(exit, clock.uptimeMs()));
    } catch (error) {
      log.write("warning", "apps", `cannot keep how "${name}" ended: ${String(error)}`);
    }
  }
}

/** @throws {Fault} `out_of_memory` */
function made(name: string, Guest: GuestConstructor, options: GuestOptions): Guest {
  try {
    return new Guest(options);
  } catch (cause) {
    throw new Fault("out_of_memory", `Cannot start "${name}": not enough memory`, { cause });
  }
}

/** @throws {Fault} `out_of_memory` */
function begin(name: string, guest: Guest, entry: string): void {
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
