/**
 * Removes duplicates from a log that a console replays. The console sends all lines that it has kept whenever a client
 * begins to follow; after a restart, the last lines of the previous run come first.
 *
 * Lines have no numbers, so a replay is recognized by its content: it begins somewhere among the lines shown before and
 * continues to the last of them; the lines after that are new. A sequence that does not continue to the last shown line
 * is new from its beginning, such as a second start whose first lines happen to equal those of the first. Until that is
 * decided, lines are held back:
 *
 *     shown before   a b c d e
 *     told again         c d e f g        c, d, e are known; f and g are new
 *     told again     a b x                all are new: a power cut, and nothing was kept
 *
 * Where several beginnings fit, as in a log that repeats a message many times a millisecond, the longest match wins:
 * the console drops the oldest lines, and far more often it has not dropped that many.
 */
import { REMEMBERED_LINES } from "./limits.js";

/** Only a follower that was too slow receives this line; it is not part of the log. */
const LOST = /^\d+\.\d{3} W (?:usb|websocket): \d+ log lines were lost$/;

export class LogContinuation {
  #shown: string[] = [];
  /** Lines told again that may be known. */
  #held: string[] = [];
  /** Where in `#shown` the line that is told next would have to be, for each beginning that still fits. */
  #positions: number[] | undefined;
  /** How many of the held lines are known for sure. */
  #known = 0;

  /** The console is about to tell what it has kept. */
  begin(): void {
    this.#held = [];
    this.#known = 0;
    this.#positions = this.#shown.length > 0 ? [...this.#shown.keys()] : undefined;
  }

  /** @returns the lines to show now: those that were held back, if any, before `line` */
  push(line: string): readonly string[] {
    if (LOST.test(line)) return this.#pass(line);
    if (!this.#positions) return this.#show([line]);
    this.#positions = this.#positions.filter((at) => this.#shown[at] === line).map((at) => at + 1);
    this.#held.push(line);
    if (this.#positions.includes(this.#shown.length)) this.#known = this.#held.length;
    const goesOn = this.#positions.some((at) => at < this.#shown.length);
    return goesOn ? [] : this.#resolve();
  }

  // What was lost is gone from the console too, and all that came before it: nothing of it is told again. In the middle
  // of a replay, what comes next may be anything from where the replay was.
  #pass(line: string): readonly string[] {
    if (this.#positions) {
      const next = Math.min(...this.#positions);
      this.#positions = [...this.#shown.keys()].slice(next);
      this.#held = [];
      this.#known = 0;
    } else this.#shown = [];
    return [line];
  }

  /** Whether lines are held back that may be known. */
  get isHolding(): boolean {
    return this.#held.length > this.#known;
  }

  /** Nothing more is told. @returns the lines that were held back and are new */
  settle(): readonly string[] {
    return this.#resolve();
  }

  #resolve(): readonly string[] {
    const lines = this.#held.slice(this.#known);
    this.#held = [];
    this.#known = 0;
    this.#positions = undefined;
    return this.#show(lines);
  }

  #show(lines: readonly string[]): readonly string[] {
    this.#shown.push(...lines);
    // In portions, so that a line costs no move of all the others.
    if (this.#shown.length > 2 * REMEMBERED_LINES) this.#shown = this.#shown.slice(-REMEMBERED_LINES);
    return lines;
  }
}
