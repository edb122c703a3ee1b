/**
 * Detects that nothing has arrived for {@link SILENCE_LIMIT_MS}, or too little where an upload comes in chunks.
 * Arriving data only records the time: there is one timer in 30 s, and not one for each piece of a file.
 */
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import { LEAST_RECEIVED_BYTES_PER_S, MinimumRate } from "../api/minimum-rate.js";
import { SILENCE_LIMIT_MS } from "./limits.js";

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
