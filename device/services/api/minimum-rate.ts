/**
 * Checks that a transfer, in either direction, is fast enough: at least so many bytes a second, averaged over 30 s, and
 * then over the next 30 s (docs/spec/http.md#minimum-rate). Time in which the console itself causes the delay does not
 * count, since a client cannot avoid it. Knows no clock, so that a test sets the time.
 */

/** What a body, or an upload over all of its chunks, brings at least. */
export const LEAST_RECEIVED_BYTES_PER_S = 256;

/**
 * What the reader of an answer takes at least. Half as much, because what was taken shows in steps of 2 KiB: at 256
 * bytes a second a window has three of them or four.
 */
export const LEAST_SENT_BYTES_PER_S = 128;

/** What nearly every network brings: who is slower makes room first where there is none (docs/spec/http.md#room-slow). */
export const USUAL_BYTES_PER_S = 2048;

/** Before that an average says little. */
const SETTLED_MS = 2000;

/** So long a client may be slower, as long as it makes up for it. */
const WINDOW_MS = 30_000;

export class MinimumRate {
  #bytes = 0;
  #sinceMs = 0;

  /** Counts from now on. */
  start(nowMs: number): void {
    this.#bytes = 0;
    this.#sinceMs = nowMs;
  }

  /** So many bytes have come, or were taken. */
  add(byteLength: number): void {
    this.#bytes += byteLength;
  }

  /** For so long the console did not read, or had nothing to send. */
  pause(milliseconds: number): void {
    this.#sinceMs += milliseconds;
  }

  /** When the window ends: before that there is nothing to find out. */
  get endsAtMs(): number {
    return this.#sinceMs + WINDOW_MS;
  }

  /** Whether fewer bytes a second have come since {@link start}, or since the window began; false for the first two seconds. */
  isBelow(nowMs: number, bytesPerS: number): boolean {
    const elapsedMs = nowMs - this.#sinceMs;
    return elapsedMs >= SETTLED_MS && this.#bytes * 1000 < bytesPerS * elapsedMs;
  }

  /** Whether a window with too few bytes is over, however late the check. One with enough is followed by the next. */
  isTooLow(nowMs: number, leastBytesPerS: number): boolean {
    if (nowMs < this.endsAtMs) return false;
    const isTooLow = this.#bytes * 1000 < leastBytesPerS * WINDOW_MS;
    this.start(nowMs);
    return isTooLow;
  }
}
