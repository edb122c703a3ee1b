/**
 * Whether a transfer, in either direction, is fast enough: at least so many bytes a second, averaged over 30 s, and then
 * over the next 30 s (docs/spec/http.md#minimum-rate). Delays that the console itself causes do not count. Has no
 * clock: callers pass the time.
 */

/** Minimum rate of a body, and of an upload over all its chunks. */
export const LEAST_RECEIVED_BYTES_PER_S = 256;

/**
 * Minimum rate at which a client reads an answer. Half as much, because progress is visible in steps of 2 KiB: at 256
 * bytes a second a window has three or four steps.
 */
export const LEAST_SENT_BYTES_PER_S = 128;

/**
 * Nearly every network is faster: slower clients are closed first if connections are short
 * (docs/spec/http.md#room-slow).
 */
export const USUAL_BYTES_PER_S = 2048;

/** Shortest time over which an average is meaningful. */
const SETTLED_MS = 2000;

/** Time over which the rate is averaged. */
const WINDOW_MS = 30_000;

export class MinimumRate {
  #bytes = 0;
  #sinceMs = 0;

  /** Starts a window. */
  start(nowMs: number): void {
    this.#bytes = 0;
    this.#sinceMs = nowMs;
  }

  /** Counts bytes that were transferred. */
  add(byteLength: number): void {
    this.#bytes += byteLength;
  }

  /** Excludes a time in which the console did not read, or had nothing to send. */
  pause(milliseconds: number): void {
    this.#sinceMs += milliseconds;
  }

  /** End of the window; no decision is made before. */
  get endsAtMs(): number {
    return this.#sinceMs + WINDOW_MS;
  }

  /** Whether the rate since the start of the window is below `bytesPerS`; false for the first `settledMs`. */
  isBelow(nowMs: number, bytesPerS: number, settledMs = SETTLED_MS): boolean {
    const elapsedMs = nowMs - this.#sinceMs;
    return elapsedMs >= settledMs && this.#bytes * 1000 < bytesPerS * elapsedMs;
  }

  /** Whether the window is over and had too few bytes, however late the check. Otherwise the next window starts. */
  isTooLow(nowMs: number, leastBytesPerS: number): boolean {
    if (nowMs < this.endsAtMs) return false;
    const isTooLow = this.#bytes * 1000 < leastBytesPerS * WINDOW_MS;
    this.start(nowMs);
    return isTooLow;
  }
}
