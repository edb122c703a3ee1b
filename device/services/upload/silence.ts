/**
 * Notices that nothing has come for {@link SILENCE_LIMIT_MS}. What comes only notes the time: there is one
 * timer in 30 s, and not one for each piece of a file.
 */
import type { Clock, Timer, TimerHandle } from "../../ports/timer.js";
import { SILENCE_LIMIT_MS } from "./limits.js";

export class Silence {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #pending: TimerHandle | undefined;
  #heardAtMs = 0;

  constructor(timer: Timer, clock: Clock, onSilence: () => void) {
    this.#timer = timer;
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** Silence counts from now on. */
  broken(): void {
    this.#heardAtMs = this.#clock.uptimeMs();
    if (this.#pending === undefined) this.#wait(SILENCE_LIMIT_MS);
  }

  /** It no longer matters. */
  stop(): void {
    this.#timer.clear(this.#pending);
    this.#pending = undefined;
  }

  #wait(milliseconds: number): void {
    this.#pending = this.#timer.set(() => this.#check(), milliseconds);
  }

  #check(): void {
    this.#pending = undefined;
    const remainingMs = this.#heardAtMs + SILENCE_LIMIT_MS - this.#clock.uptimeMs();
    if (remainingMs > 0) this.#wait(remainingMs);
    else this.#onSilence();
  }
}
