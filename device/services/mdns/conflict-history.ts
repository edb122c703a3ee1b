/**
 * Records the last conflicts, so that two hosts that can never agree do not flood the network: after 15
 * within 10 seconds each further attempt waits for 5, until one succeeds (RFC 6762 §8.1).
 */
import { CONFLICT_COUNT_LIMIT, CONFLICT_DELAY_MS, CONFLICT_WINDOW_MS } from "./limits.js";

export class ConflictHistory {
  /** Times of the last conflicts, a ring. */
  readonly #timesMs = new Float64Array(CONFLICT_COUNT_LIMIT).fill(Number.NEGATIVE_INFINITY);
  #next = 0;
  #isCrowded = false;

  /** Counts a conflict. @returns how long to wait before the next probe, in milliseconds */
  record(nowMs: number): number {
    this.#timesMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % CONFLICT_COUNT_LIMIT;
    const oldestMs = this.#timesMs[this.#next] as number;
    if (nowMs - oldestMs <= CONFLICT_WINDOW_MS) this.#isCrowded = true;
    return this.#isCrowded ? CONFLICT_DELAY_MS : 0;
  }

  /** A name was won. */
  won(): void {
    this.#isCrowded = false;
  }
}
