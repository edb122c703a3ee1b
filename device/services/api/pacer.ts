/**
 * Work in steps that shares the event loop: runs for a few milliseconds, then continues in a later turn. Limited by
 * time and not by amount, because a board needs twenty times as long for the same amount.
 */
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";

/**
 * Silence after which an upload is discarded, and later its last answer (docs/spec/uploads.md#upload-silence).
 */
const SILENCE_LIMIT_MS = 30_000;

// Checks that a transfer, in either direction, is fast enough: at least so many bytes a second, averaged over 30 s, and
// then over the next 30 s (docs/spec/http.md#minimum-rate). Delays that the console itself causes do not
// count. Has no clock: callers pass the time.

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

  /** Whether the rate since the start of the window is below `bytesPerS`; false for the first two seconds. */
  isBelow(nowMs: number, bytesPerS: number): boolean {
    const elapsedMs = nowMs - this.#sinceMs;
    return elapsedMs >= SETTLED_MS && this.#bytes * 1000 < bytesPerS * elapsedMs;
  }

  /** Whether the window is over and had too few bytes, however late the check. Otherwise the next window starts. */
  isTooLow(nowMs: number, leastBytesPerS: number): boolean {
    if (nowMs < this.endsAtMs) return false;
    const isTooLow = this.#bytes * 1000 < leastBytesPerS * WINDOW_MS;
    this.start(nowMs);
    return isTooLow;
  }
}

// Detects that no data has arrived for {@link SILENCE_LIMIT_MS}, or too little in an upload in chunks. Arriving data
// only records the time, so there is one timer in 30 s and not one per piece of a file.

export class IdleTimeout {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #onSilence: (reason: string) => void;
  readonly #rate = new MinimumRate();
  #isRated = false;
  #pending: TimerHandle | undefined;
  #lastReceivedMs = 0;

  /** @param onSilence receives a description, for the log */
  constructor(timer: Timer, clock: Clock, onSilence: (reason: string) => void) {
    this.#timer = timer;
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** Restarts the time-out and counts the bytes that have arrived. */
  restart(byteLength = 0): void {
    this.#lastReceivedMs = this.#clock.uptimeMs();
    this.#rate.add(byteLength);
    if (this.#pending === undefined) this.#wait(SILENCE_LIMIT_MS);
  }

  /** Until {@link stop}, also checks the minimum rate. */
  checkRate(byteLength: number): void {
    this.#isRated = true;
    this.#rate.start(this.#clock.uptimeMs());
    this.restart(byteLength);
  }

  /** Excludes a time in which the console processed data and received none. */
  pause(milliseconds: number): void {
    this.#rate.pause(milliseconds);
  }

  /** Stops the time-out. */
  stop(): void {
    this.#isRated = false;
    this.#timer.clear(this.#pending);
    this.#pending = undefined;
  }

  #wait(milliseconds: number): void {
    this.#pending = this.#timer.set(() => this.#check(), milliseconds);
  }

  #check(): void {
    this.#pending = undefined;
    const nowMs = this.#clock.uptimeMs();
    const silentAtMs = this.#lastReceivedMs + SILENCE_LIMIT_MS;
    if (nowMs >= silentAtMs) this.#onSilence(`${SILENCE_LIMIT_MS / 1000} s of silence`);
    else if (this.#isRated && this.#rate.isTooLow(nowMs, LEAST_RECEIVED_BYTES_PER_S))
      this.#onSilence(`slower than ${LEAST_RECEIVED_BYTES_PER_S} bytes a second`);
    else this.#wait((this.#isRated ? Math.min(silentAtMs, this.#rate.endsAtMs) : silentAtMs) - nowMs);
  }
}

/** A status request must be answered within 50 ms under any load, while several pacers may run. */
const TURN_MS = 4;

export interface PacerOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  /** Called in the next turn: the caller calls `run` again. */
  onResume(): void;
}

export class Pacer {
  readonly #options: PacerOptions;
  #resumption: TimerHandle | undefined;

  constructor(options: PacerOptions) {
    this.#options = options;
  }

  /**
   * Runs steps until there is nothing to do or the turn is over. No-op while waiting for the next turn.
   * @param step returns whether there is more to do immediately
   */
  run(step: () => boolean): void {
    let endMs: number | undefined;
    while (!this.#resumption && step()) {
      const nowMs = this.#options.clock.uptimeMs();
      endMs ??= nowMs + TURN_MS;
      if (nowMs >= endMs) this.#resumeLater();
    }
  }

  /** Cancels the next turn. */
  stop(): void {
    this.#options.timer.clear(this.#resumption);
    this.#resumption = undefined;
  }

  #resumeLater(): void {
    this.#resumption = this.#options.timer.set(() => {
      this.#resumption = undefined;
      this.#options.onResume();
    }, 0);
  }
}
