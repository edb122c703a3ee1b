/**
 * Work in steps that shares the event loop: runs for a few milliseconds, then continues in a later turn. Limited by
 * time and not by amount, because a board needs twenty times as long for the same amount.
 */
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";

/**
 * Silence after which an upload is forgotten, and after which its last answer is (docs/spec/uploads.md#upload-silence).
 */
const SILENCE_LIMIT_MS = 30_000;

// Checks that a transfer, in either direction, is fast enough: at least so many bytes a second, averaged over 30 s, and
// then over the next 30 s (docs/spec/http.md#minimum-rate). Time in which the console itself causes the delay does not
// count, since a client cannot avoid it. Knows no clock, so that a test sets the time.

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

// Detects that nothing has arrived for {@link SILENCE_LIMIT_MS}, or too little where an upload comes in chunks.
// Arriving data only records the time: there is one timer in 30 s, and not one for each piece of a file.

export class IdleTimeout {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #onSilence: (reason: string) => void;
  readonly #rate = new MinimumRate();
  #isRated = false;
  #pending: TimerHandle | undefined;
  #heardAtMs = 0;

  /** @param onSilence receives a description, for the log */
  constructor(timer: Timer, clock: Clock, onSilence: (reason: string) => void) {
    this.#timer = timer;
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** Silence counts from now on. */
  broken(byteLength = 0): void {
    this.#heardAtMs = this.#clock.uptimeMs();
    this.#rate.add(byteLength);
    if (this.#pending === undefined) this.#wait(SILENCE_LIMIT_MS);
  }

  /** From now on, until {@link stop}, bytes have to come at the least rate, too. */
  rate(byteLength: number): void {
    this.#isRated = true;
    this.#rate.start(this.#clock.uptimeMs());
    this.broken(byteLength);
  }

  /** So long the console did something with what had come, and nothing could come. */
  pause(milliseconds: number): void {
    this.#rate.pause(milliseconds);
  }

  /** It no longer matters. */
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
    const silentAtMs = this.#heardAtMs + SILENCE_LIMIT_MS;
    if (nowMs >= silentAtMs) this.#onSilence(`${SILENCE_LIMIT_MS / 1000} s of silence`);
    else if (this.#isRated && this.#rate.isTooLow(nowMs, LEAST_RECEIVED_BYTES_PER_S))
      this.#onSilence(`it brings less than ${LEAST_RECEIVED_BYTES_PER_S} bytes a second`);
    else this.#wait((this.#isRated ? Math.min(silentAtMs, this.#rate.endsAtMs) : silentAtMs) - nowMs);
  }
}

/** A request for the status must be answered within 50 ms under any load; several pacers may run at the same time. */
const TURN_MS = 4;

export interface PacerOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  /** The next turn has come: the paced caller calls `run` again. */
  onResume(): void;
}

export class Pacer {
  readonly #options: PacerOptions;
  #resumption: TimerHandle | undefined;

  constructor(options: PacerOptions) {
    this.#options = options;
  }

  /**
   * Takes steps until there is nothing to do or the turn is over. Between two turns it does nothing.
   * @param step whether there is more to do immediately
   */
  run(step: () => boolean): void {
    let endMs: number | undefined;
    while (!this.#resumption && step()) {
      const nowMs = this.#options.clock.uptimeMs();
      endMs ??= nowMs + TURN_MS;
      if (nowMs >= endMs) this.#resumeLater();
    }
  }

  /** There is no next turn. */
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
