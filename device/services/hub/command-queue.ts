/**
 * Runs commands of the hub one after the other, in the order of arrival. A command that cannot run yet is retried after
 * a while, and does not block the others; only for the same subject (an app, the firmware) the order is kept, since
 * there the newest alone counts: it supersedes the earlier ones.
 */
import { type Backoff, backoffMs, chanceOf } from "../../../hub-client/backoff.js";
import type { Random } from "../../../protocol/ports/bytes.js";
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import { COMMAND_BACKOFF, COMMANDS_CHARACTERS_LIMIT, COMMANDS_LIMIT } from "./limits.js";

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

export interface CommandQueueOptions {
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
