/**
 * Runs the hub's commands one at a time, in order of arrival. A command that cannot run yet is retried later and does
 * not block the others. A new command supersedes a waiting one for the same subject (an app, the firmware), since only
 * the newest desired state counts.
 */
import { type Backoff, backoffMs, chanceOf } from "../../../hub-client/link-state.js";
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import type { AppResult } from "../../../protocol/hub/push-messages.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import type { Clock, Random, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Logger } from "../logs/log-line.js";
import { HUB_RESULTS_SETTING, type Settings } from "../settings/settings.js";

/**
 * Limit of commands that wait or run. The console keeps the results of all of them, so that it executes none twice. It
 * leaves out further commands, and has the hub send them again later.
 */
const COMMANDS_LIMIT = 8;

/**
 * Limit of the characters in all commands that wait or run; a single command may exceed it. Eight usual commands have
 * 2,000 characters; eight with the longest addresses took a quarter of the heap.
 */
const COMMANDS_CHARACTERS_LIMIT = 4096;

/** Number of stored results: more than one lost connection can lose. All of them fit one setting. */
const RESULTS_LIMIT = 2 * COMMANDS_LIMIT;

/** Delays before a failed command is retried. */
const COMMAND_BACKOFF: Backoff = Object.freeze({ firstMs: 1000, lastMs: 300_000 });

/** Tries after which a {@link DOUBTFUL} failure counts as permanent. */
const DOUBTFUL_TRIES = 5;

// Which failures are transient. A command that failed transiently has no result yet, so the hub keeps it.

/** Failures of the network, or another client that came first. They are transient, however long they last. */
const PASSING: readonly FaultCode[] = Object.freeze([
  "hub_unreachable",
  "upload_busy",
  "confirm_pending",
  "busy",
  "request_timeout",
  "too_many_attempts",
] satisfies FaultCode[]);

/** Failures that are either transient or permanent. */
const DOUBTFUL: readonly FaultCode[] = Object.freeze([
  "hub_refused",
  "download_failed",
  "unauthorized",
  "internal_error",
  "out_of_memory",
] satisfies FaultCode[]);

/** @param tries number of earlier failures of the same command */
export function isTransient(error: unknown, tries: number): boolean {
  if (!(error instanceof Fault)) return false;
  return PASSING.includes(error.code) || (DOUBTFUL.includes(error.code) && tries + 1 < DOUBTFUL_TRIES);
}

// The results of the last commands, in one setting. A hub repeats a command until it has the result, and the console
// then sends the stored result instead of executing the command again, also after a restart. The heap holds no result
// between two uses.

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

  /** @returns `undefined` if the command was not done, or {@link RESULTS_LIMIT} others were done since */
  find(commandId: string): KeptResult | undefined {
    return this.#read().find((result) => result.command_id === commandId);
  }

  /** Stores the result before it returns. Logs a failed write. */
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
  /** The app, or the firmware. A newer command for the same subject supersedes a waiting one. */
  readonly subject: string;
  /** Length of the texts that the command keeps in memory. */
  readonly characters: number;
  /**
   * Executes the command and reports its result.
   * @param tries number of earlier calls that failed
   * @throws any error, if the command is to be retried
   */
  run(tries: number): Promise<void>;
  /** A newer command for the same subject replaces this one before it is done: reports that. */
  supersede(): void;
}

interface CommandQueueOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: {@link COMMAND_BACKOFF}. */
  readonly backoff?: Backoff;
  /** A command is retried in `retryMs`; for the log. */
  onRetry(command: Command, error: unknown, retryMs: number): void;
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
   * Adds a command, unless one with its id waits or runs. The command runs in a later turn of the event loop.
   * @returns false if the limit of commands or of their characters is reached
   */
  add(command: Command): boolean {
    if (this.has(command.id)) return true;
    this.supersede(command.subject);
    if (!this.#hasRoomFor(command)) return false;
    this.#waiting.push({ command, tries: 0, dueMs: this.#options.clock.uptimeMs() });
    this.#schedule();
    return true;
  }

  /** Whether a command with this id waits or runs. */
  has(id: string): boolean {
    return this.#running?.command.id === id || this.#waiting.some(({ command }) => command.id === id);
  }

  /** Drops the waiting command for a subject, which a newer command overtakes. */
  supersede(subject: string): void {
    const at = this.#waiting.findIndex(({ command }) => command.subject === subject);
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.command.supersede();
  }

  /** Whether no command waits or runs. */
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

  /** Begins no further command; the running one goes on. May be called twice. */
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
      (error: unknown) => this.#retryLater(entry, error),
    );
  }

  #retryLater(entry: Entry, error: unknown): void {
    const { backoff = COMMAND_BACKOFF, clock, onRetry, random } = this.#options;
    if (this.#isClosed) return;
    entry.tries++;
    const retryMs = backoffMs(entry.tries, chanceOf(random), backoff);
    entry.dueMs = clock.uptimeMs() + retryMs;
    const { subject } = entry.command;
    if (this.#waiting.some(({ command }) => command.subject === subject)) entry.command.supersede();
    else {
      this.#waiting.push(entry);
      onRetry(entry.command, error, retryMs);
    }
    this.#end();
  }

  #end(): void {
    this.#running = undefined;
    this.#schedule();
    if (this.#waiting.length === 0 && !this.#isClosed) this.#options.onIdle();
  }
}
