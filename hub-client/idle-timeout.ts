/** Fires when a peer has sent nothing for too long. One timer, however often the peer sends. */
import type { Clock, Timer, TimerHandle } from "../protocol/ports/timer.js";

export interface IdleTimeoutOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly limitMs: number;
  /** Comes once. */
  onSilent(): void;
}

export class IdleTimeout {
  readonly #options: IdleTimeoutOptions;
  #heardMs: number;
  #timeout: TimerHandle | undefined;

  constructor(options: IdleTimeoutOptions) {
    this.#options = options;
    this.#heardMs = options.clock.uptimeMs();
    this.#arm(options.limitMs);
  }

  /** The peer has sent something. */
  heard(): void {
    this.#heardMs = this.#options.clock.uptimeMs();
  }

  /** May be called twice. */
  close(): void {
    this.#options.timer.clear(this.#timeout);
    this.#timeout = undefined;
  }

  #arm(delayMs: number): void {
    this.#timeout = this.#options.timer.set(() => this.#check(), delayMs);
  }

  #check(): void {
    const { clock, limitMs, onSilent } = this.#options;
    const leftMs = this.#heardMs + limitMs - clock.uptimeMs();
    if (leftMs > 0) this.#arm(leftMs);
    else onSilent();
  }
}
