/**
 * Removes duplicates from a log that a console replays. The console sends its whole log buffer whenever a client
 * starts to follow; after a restart, the last lines of the previous run come first.
 *
 * Lines have no numbers, so a replay is recognized by its content: it begins somewhere among the lines shown before and
 * continues to the last of them; the lines after that are new. A sequence that does not continue to the last shown line
 * is new as a whole, such as a second start whose first lines happen to equal those of the first. Until that is
 * decided, lines are withheld:
 *
 *     shown before   a b c d e
 *     replayed           c d e f g        c, d, e are known; f and g are new
 *     replayed       a b x                all are new: a power cut emptied the buffer
 *
 * Where several beginnings fit, as in a log that repeats a message many times a millisecond, the longest match wins:
 * the console drops the oldest lines, and it rarely drops as many as a shorter match implies.
 */
import type { ClientClock } from "./clock.js";
import { REMEMBERED_LINES, REPLAY_PAUSE_MS } from "./limits.js";

/** The console sends this line only to a follower that is too slow; it is not part of the log. */
const LOST = /^\d+\.\d{3} W (?:usb|websocket): \d+ log lines were lost$/;

export class LogContinuation {
  #shown: string[] = [];
  /** Replayed lines that may be known. */
  #withheld: string[] = [];
  /** For each match that is still possible: the index in `#shown` of the line that must come next. */
  #positions: number[] | undefined;
  /** How many of the withheld lines are certainly known. */
  #known = 0;

  /** Called before the console replays its log buffer. */
  begin(): void {
    this.#withheld = [];
    this.#known = 0;
    this.#positions = this.#shown.length > 0 ? [...this.#shown.keys()] : undefined;
  }

  /** @returns the lines to show now: withheld lines, if any, before `line` */
  push(line: string): readonly string[] {
    if (LOST.test(line)) return this.#handleLoss(line);
    if (!this.#positions) return this.#show([line]);
    this.#positions = this.#positions.filter((at) => this.#shown[at] === line).map((at) => at + 1);
    this.#withheld.push(line);
    if (this.#positions.includes(this.#shown.length)) this.#known = this.#withheld.length;
    const goesOn = this.#positions.some((at) => at < this.#shown.length);
    return goesOn ? [] : this.flush();
  }

  // The console has dropped the lost lines and all lines before them, so it replays none of these. In the middle of a
  // replay, the next line may be any from the current position on.
  #handleLoss(line: string): readonly string[] {
    if (this.#positions) {
      const next = Math.min(...this.#positions);
      this.#positions = [...this.#shown.keys()].slice(next);
      this.#withheld = [];
      this.#known = 0;
    } else this.#shown = [];
    return [line];
  }

  /** Whether lines are withheld that may be known. */
  get isPending(): boolean {
    return this.#withheld.length > this.#known;
  }

  /** Ends the replay. @returns the withheld lines that are new */
  flush(): readonly string[] {
    const lines = this.#withheld.slice(this.#known);
    this.#withheld = [];
    this.#known = 0;
    this.#positions = undefined;
    return this.#show(lines);
  }

  #show(lines: readonly string[]): readonly string[] {
    this.#shown.push(...lines);
    // Trimmed rarely, so that not every line moves all the others.
    if (this.#shown.length > 2 * REMEMBERED_LINES) this.#shown = this.#shown.slice(-REMEMBERED_LINES);
    return lines;
  }
}

/**
 * A {@link LogContinuation} with a time limit: once no line has arrived for a while, the replay is complete, and
 * the withheld lines are new.
 */
export class ContinuedLog {
  readonly #continuation = new LogContinuation();
  readonly #clock: ClientClock;
  readonly #onLine: (line: string) => void;
  #timer: object | undefined;
  #isClosed = false;

  /** @param onLine receives each line once */
  constructor(clock: ClientClock, onLine: (line: string) => void) {
    this.#clock = clock;
    this.#onLine = onLine;
  }

  /** Called before the console replays its log buffer. */
  begin(): void {
    this.pause();
    this.#continuation.begin();
  }

  push(line: string): void {
    if (this.#isClosed) return;
    this.pause();
    this.#show(this.#continuation.push(line));
    if (this.#continuation.isPending)
      this.#timer = this.#clock.set(() => this.#show(this.#continuation.flush()), REPLAY_PAUSE_MS);
  }

  /** Stops the pending timer while no listener is attached. */
  pause(): void {
    this.#clock.clear(this.#timer);
  }

  /** No callback follows. */
  close(): void {
    this.#isClosed = true;
    this.pause();
  }

  #show(lines: readonly string[]): void {
    for (const line of lines) if (!this.#isClosed) this.#onLine(line);
  }
}
