/** Work that must not overlap, in the order in which it was asked for. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once all work before it has settled. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {
      // Whoever asked for it is told; the next in line only waits for its end.
    });
    return result;
  }
}
