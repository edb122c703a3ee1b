/** Lets long work yield to the event loop between its slices. */
import type { Timer } from "../../../protocol/ports/runtime.js";

export class Scheduler {
  readonly #timer: Timer;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Settles in a later turn of the event loop. */
  yield(): Promise<void> {
    return new Promise((resolve) => {
      this.#timer.set(resolve, 0);
    });
  }
}
