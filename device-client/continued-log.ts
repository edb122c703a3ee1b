/**
 * A {@link LogContinuation} with a time limit: once no line has arrived for a while, the replay is complete, and
 * the withheld lines are new.
 */
import type { ClientClock } from "./clock.js";
import { REPLAY_PAUSE_MS } from "./limits.js";
import { LogContinuation } from "./log-continuation.js";

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
