/**
 * Work in steps that shares the event loop: runs for a few milliseconds, then continues in a later turn. Limited by
 * time and not by amount, because a board needs twenty times as long for the same amount.
 */
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/timer.js";

/** A request for the status must be answered within 50 ms under any load; several pacers may run at the same time. */
const TURN_MS = 4;

export interface PacerOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  /** The next turn has come: the paced caller calls `run` again. */
  onResume(): void;
}

export class Pacer {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #onResume: () => void;
  #resumption: TimerHandle | undefined;

  constructor({ timer, clock, onResume }: PacerOptions) {
    this.#timer = timer;
    this.#clock = clock;
    this.#onResume = onResume;
  }

  /**
   * Takes steps until there is nothing to do or the turn is over. Between two turns it does nothing.
   * @param step whether there is more to do immediately
   */
  run(step: () => boolean): void {
    let endMs: number | undefined;
    while (!this.#resumption && step()) {
      const nowMs = this.#clock.uptimeMs();
      endMs ??= nowMs + TURN_MS;
      if (nowMs >= endMs) this.#resumeLater();
    }
  }

  /** There is no next turn. */
  stop(): void {
    this.#timer.clear(this.#resumption);
    this.#resumption = undefined;
  }

  #resumeLater(): void {
    this.#resumption = this.#timer.set(() => {
      this.#resumption = undefined;
      this.#onResume();
    }, 0);
  }
}
