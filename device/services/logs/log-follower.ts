/**
 * Follows the log at a reader's own speed. Keeps a number, never a queue: counts lines that were overwritten
 * before they were read, and reports the count in a line in their place.
 */
import type { Clock } from "../../../protocol/ports/timer.js";
import type { LogLines } from "./log.js";
import { formatLogLine } from "./log-line.js";

export class LogFollower {
  readonly #log: LogLines;
  readonly #clock: Clock;
  readonly #source: string;
  #next: number;

  /**
   * Begins with the oldest line there is.
   * @param source name of the service that reports lost lines
   */
  constructor(log: LogLines, clock: Clock, source: string) {
    this.#log = log;
    this.#clock = clock;
    this.#source = source;
    this.#next = log.first;
  }

  /** The next line without terminator, or `undefined` while there is none. */
  next(): string | undefined {
    const lost = this.#log.first - this.#next;
    if (lost > 0) {
      this.skipLost();
      return formatLogLine(this.#clock.uptimeMs(), "warning", this.#source, `${lost} log lines were lost`);
    }
    return this.#next < this.#log.next ? this.#log.line(this.#next++) : undefined;
  }

  /** Goes on with the oldest line that is left, without a word about those that are gone. */
  skipLost(): void {
    this.#next = Math.max(this.#next, this.#log.first);
  }

  /** Begins again with the oldest line there is. */
  rewind(): void {
    this.#next = this.#log.first;
  }
}
