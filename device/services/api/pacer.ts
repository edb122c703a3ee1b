/**
 * Work in steps that shares the event loop: runs for a few milliseconds, then continues in a later turn. Limited by
 * time and not by amount, because a board needs twenty times as long for the same amount.
 */
import {
  LEAST_RECEIVED_BYTES_PER_S,
  MinimumRate,
  USUAL_BYTES_PER_S,
} from "../../../protocol/minimum-rate.js";
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";

/**
 * Silence after which an upload is discarded, and later its last answer (docs/spec/uploads.md#upload-silence).
 */
const SILENCE_LIMIT_MS = 30_000;

/** A shorter upload has kept nobody out. */
const NOTICEABLE_MS = 200;

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
    if (this.#pending === undefined) this.#wait();
  }

  /**
   * Until {@link stop}, also checks the minimum rate.
   * @param isContinued in the window that began before the last {@link stop}
   */
  checkRate(byteLength: number, isContinued = false): void {
    this.#isRated = true;
    if (!isContinued) this.#rate.start(this.#clock.uptimeMs());
    this.restart(byteLength);
  }

  /** Whether less comes than from nearly every network. */
  get isSlow(): boolean {
    return this.#isRated && this.#rate.isBelow(this.#clock.uptimeMs(), USUAL_BYTES_PER_S);
  }

  /** Whether less has come so far, or lately, for someone who held the console up. */
  get wasSlow(): boolean {
    return this.#isRated && this.#rate.isBelow(this.#clock.uptimeMs(), USUAL_BYTES_PER_S, NOTICEABLE_MS);
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

  #wait(): void {
    const silentAtMs = this.#lastReceivedMs + SILENCE_LIMIT_MS;
    const dueMs = this.#isRated ? Math.min(silentAtMs, this.#rate.endsAtMs) : silentAtMs;
    this.#pending = this.#timer.set(() => this.#check(), Math.max(0, dueMs - this.#clock.uptimeMs()));
  }

  #check(): void {
    this.#pending = undefined;
    const nowMs = this.#clock.uptimeMs();
    if (nowMs >= this.#lastReceivedMs + SILENCE_LIMIT_MS)
      this.#onSilence(`${SILENCE_LIMIT_MS / 1000} s of silence`);
    else if (this.#isRated && this.#rate.isTooLow(nowMs, LEAST_RECEIVED_BYTES_PER_S))
      this.#onSilence(`slower than ${LEAST_RECEIVED_BYTES_PER_S} bytes a second`);
    else this.#wait();
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
