/**
 * Runs commands of the hub one after the other, in the order of arrival. A command that cannot run yet is retried after
 * a while, and does not block the others; only for the same subject (an app, the firmware) the order is kept, since
 * there the newest alone counts: it supersedes the earlier ones.
 */
import { type Backoff, backoffMs, chanceOf } from "../../../hub-client/link-state.js";
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import type { AppResult } from "../../../protocol/hub/push-messages.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import type { Clock, Random, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Logger } from "../logs/log-line.js";
import { HUB_RESULTS_SETTING, type Settings } from "../settings/settings.js";

/**
 * Commands that wait or run. The results of all of them are kept, so that none is done twice; what comes beyond is left
 * out, and asked for again.
 */
const COMMANDS_LIMIT = 8;

/**
 * Characters that commands keep which wait or run; one alone may have more. Eight usual ones have 2,000, and eight with
 * the longest addresses had a quarter of the heap.
 */
const COMMANDS_CHARACTERS_LIMIT = 4096;

/** Results that are kept: more than can be lost with one connection. All of them fit one setting. */
const RESULTS_LIMIT = 2 * COMMANDS_LIMIT;

/** Before a command is tried again that could not be carried out yet. */
const COMMAND_BACKOFF: Backoff = Object.freeze({ firstMs: 1000, lastMs: 300_000 });

/** How often trouble is taken for a passing one, where it may as well stay. */
const DOUBTFUL_TRIES = 5;

// Whether a command that has failed may be carried out later: then it has no result yet, and stays with the hub.

/** Failures of the network, or another client that came first. They pass, however long that takes. */
const PASSING: readonly FaultCode[] = Object.freeze([
  "hub_unreachable",
  "upload_busy",
  "confirm_pending",
  "busy",
  "request_timeout",
  "too_many_attempts",
] satisfies FaultCode[]);

/** What may go by, and may as well be there for good. */
const DOUBTFUL: readonly FaultCode[] = Object.freeze([
  "hub_refused",
  "download_failed",
  "unauthorized",
  "internal_error",
  "out_of_memory",
] satisfies FaultCode[]);

/** @param tries how often it had failed before */
export function isTransient(error: unknown, tries: number): boolean {
  if (!(error instanceof Fault)) return false;
  return PASSING.includes(error.code) || (DOUBTFUL.includes(error.code) && tries + 1 < DOUBTFUL_TRIES);
}

// The results of the last commands, in one setting: a hub repeats a command until it has the result, and the console
// then sends the stored result instead of executing the command again, also after a restart. Holds nothing in the heap
// in between.

const NAMES: readonly string[] = Object.freeze(["type", "command_id", "app_id", "success", "error"]);
const LIMITS = Object.freeze({ byteLength: 4096, depth: 2, values: 256, names: NAMES });

/** A result with the id of its command. */
export type KeptResult = AppResult & { readonly command_id: string };

export class ResultStore {
  readonly #settings: Settings;
  readonly #logger: Logger;

  constructor(settings: Settings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
  }

  /** `undefined` where the command has not been done, or so many others since. */
  find(commandId: string): KeptResult | undefined {
    return this.#read().find((result) => result.command_id === commandId);
  }

  /** Returns once it is safe. Logs a failure to write it. */
  write(result: KeptResult): void {
    const others = this.#read().filter(({ command_id }) => command_id !== result.command_id);
    const kept = [...others.slice(1 - RESULTS_LIMIT), result];
    try {
      this.#settings.write(HUB_RESULTS_SETTING, JSON.stringify(kept));
    } catch (error) {
      this.#logger.warning(`cannot store the result of a command: ${error}`);
    }
  }

  #read(): readonly KeptResult[] {
    try {
      const text = this.#settings.read(HUB_RESULTS_SETTING);
      if (text === undefined) return [];
      const json = parseJson(new TextEncoder().encode(text), LIMITS);
      return Array.isArray(json) ? json.filter(isResult) : [];
    } catch (error) {
      this.#logger.warning(`cannot read the results of the last commands: ${error}`);
      return [];
    }
  }
}

function isResult(json: Json | KeptResult): json is KeptResult {
  const { type, command_id, app_id, success, error } = Object(json) as Record<string, unknown>;
  return (
    (type === "app.install.result" || type === "app.uninstall.result") &&
    typeof command_id === "string" &&
    typeof app_id === "string" &&
    typeof success === "boolean" &&
    (error === null || typeof error === "string")
  );
}

export interface Command {
  readonly id: string;
  /** What it is about. A newer command about the same takes the place of one that waits. */
  readonly subject: string;
  /** Of texts that it keeps. */
  readonly characters: number;
  /**
   * Carries it out, and reports what has come of it.
   * @param tries how often that has failed to begin or to end
   * @throws any error, to be tried again later
   */
  run(tries: number): Promise<void>;
  /** A newer one about the same has taken its place before it was done: reports that. */
  supersede(): void;
}

interface CommandQueueOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly random: Random;
  /** Left out: that of `limits.ts`. */
  readonly backoff?: Backoff;
  /** A command is tried again later; for the log. */
  onPutOff(command: Command, error: unknown, retryMs: number): void;
  /** The queue is empty. */
  onIdle(): void;
}

interface Entry {
  readonly command: Command;
  tries: number;
  dueMs: number;
}

export class CommandQueue {
  readonly #options: CommandQueueOptions;
  readonly #waiting: Entry[] = [];
  #running: Entry | undefined;
  #next: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: CommandQueueOptions) {
    this.#options = options;
  }

  /**
   * Takes a command on; one that is on its way already only once. Nothing is begun inside.
   * @returns whether it is taken: false where too many wait, or too long ones
   */
  add(command: Command): boolean {
    if (this.#running?.command.id === command.id) return true;
    const same = this.#waiting.findIndex(({ command: { subject } }) => subject === command.subject);
    if (same >= 0 && this.#waiting[same]?.command.id === command.id) return true;
    if (same >= 0) this.#waiting.splice(same, 1)[0]?.command.supersede();
    if (!this.#hasRoomFor(command)) return false;
    this.#waiting.push({ command, tries: 0, dueMs: this.#options.clock.uptimeMs() });
    this.#schedule();
    return true;
  }

  /** Nothing waits or runs. */
  get isIdle(): boolean {
    return !this.#running && this.#waiting.length === 0;
  }

  #hasRoomFor(command: Command): boolean {
    if (this.isIdle) return true;
    const commands = this.#waiting.map((entry) => entry.command);
    if (this.#running) commands.push(this.#running.command);
    const characters = commands.reduce((sum, other) => sum + other.characters, command.characters);
    return commands.length < COMMANDS_LIMIT && characters <= COMMANDS_CHARACTERS_LIMIT;
  }

  /** Nothing else is begun; what is being done goes on. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#options.timer.clear(this.#next);
    this.#next = undefined;
  }

  #schedule(): void {
    const { clock, timer } = this.#options;
    timer.clear(this.#next);
    this.#next = undefined;
    if (this.#running || this.#isClosed || this.#waiting.length === 0) return;
    const dueMs = Math.min(...this.#waiting.map((entry) => entry.dueMs));
    this.#next = timer.set(() => this.#begin(), Math.max(dueMs - clock.uptimeMs(), 0));
  }

  #begin(): void {
    const nowMs = this.#options.clock.uptimeMs();
    this.#next = undefined;
    const at = this.#waiting.findIndex(({ dueMs }) => dueMs <= nowMs);
    const [entry] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (entry) this.#run(entry);
    else this.#schedule();
  }

  #run(entry: Entry): void {
    this.#running = entry;
    entry.command.run(entry.tries).then(
      () => this.#end(),
      (error: unknown) => this.#putOff(entry, error),
    );
  }

  #putOff(entry: Entry, error: unknown): void {
    const { backoff = COMMAND_BACKOFF, clock, onPutOff, random } = this.#options;
    if (this.#isClosed) return;
    entry.tries++;
    const retryMs = backoffMs(entry.tries, chanceOf(random), backoff);
    entry.dueMs = clock.uptimeMs() + retryMs;
    const { subject } = entry.command;
    if (this.#waiting.some(({ command }) => command.subject === subject)) entry.command.supersede();
    else {
      this.#waiting.push(entry);
      onPutOff(entry.command, error, retryMs);
    }
    this.#end();
  }

  #end(): void {
    this.#running = undefined;
    this.#schedule();
    if (this.#waiting.length === 0 && !this.#isClosed) this.#options.onIdle();
  }
}
