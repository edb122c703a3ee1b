/** Lets long work yield: runs it in slices, with the event loop free for other work between two of them. */
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
