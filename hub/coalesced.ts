/**
 * Work that many callers want at the same time and that is done once for all of them, such as a flush of a file or a look
 * into a row: each caller gets the result of a run that began after its call.
 */
export class Coalesced<Result> {
  readonly #work: () => Promise<Result>;
  #running: Promise<Result> | undefined;
  #next: Promise<Result> | undefined;

  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  /** @throws what the work throws */
  request(): Promise<Result> {
    if (!this.#running) return this.#run();
    // The run in progress may have begun too early.
    this.#next ??= this.#running.then(
      () => this.#run(),
      () => this.#run(),
    );
    return this.#next;
  }

  /** Whether nobody waits. */
  get isIdle(): boolean {
    return this.#running === undefined && this.#next === undefined;
  }

  #run(): Promise<Result> {
    this.#next = undefined;
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
