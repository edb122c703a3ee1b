/** Runs work without overlap, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once all work before it has settled. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {
      // The caller receives the error; the next in line only waits for the end.
    });
    return result;
  }
}
