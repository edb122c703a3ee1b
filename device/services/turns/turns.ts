/** Long work in slices: between two of them everybody else gets a turn of the event loop. */
import type { Timer } from "../../../protocol/ports/timer.js";

export class Turns {
  readonly #timer: Timer;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Settles in a turn to come. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#timer.set(resolve, 0);
    });
  }
}
