/**
 * The lifetime of a command: until it ends, or until the user cancels it (Ctrl-C, or a closed output pipe). Closes all
 * that the command opened in both cases, so that no trace of it is left on the console.
 */

/** Exit statuses by signal: 128 plus its number, as in shells. */
const STATUS = Object.freeze({ SIGINT: 130, SIGTERM: 143 });

/** Time for an interrupted command to end by itself. */
const GRACE_MS = 2000;

type Closer = () => void | Promise<void>;

export class Lifetime {
  #controller = new AbortController();
  #closers: Closer[] = [];
  #interrupt: (status: number) => void = () => {};
  #interrupted: Promise<number> = new Promise((resolve) => {
    this.#interrupt = resolve;
  });
  #onSignal = (signal: NodeJS.Signals) => this.end(STATUS[signal as "SIGINT"]);

  constructor() {
    for (const name of Object.keys(STATUS)) process.on(name, this.#onSignal);
  }

  /** Aborts when the command must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Registers a closer for the end of the command; the latest runs first.
   * @param closer must accept a resource that is closed already
   */
  defer(closer: Closer): void {
    this.#closers.push(closer);
  }

  /** Requests the end of the command with this status; the second request exits immediately. */
  end(status: number): void {
    if (this.signal.aborted) process.exit(status);
    this.#controller.abort();
    this.#interrupt(status);
  }

  /**
   * Waits for `work`, or until the end is requested.
   * @returns the exit status if interrupted
   */
  async span(work: Promise<void>): Promise<number | undefined> {
    try {
      return await Promise.race([work.then(() => undefined), this.#interrupted]);
    } finally {
      const hadSomething = await this.#close();
      if (this.signal.aborted && hadSomething) await settledOrLate(work);
    }
  }

  /** @returns whether there was something to close */
  async #close(): Promise<boolean> {
    const hadSomething = this.#closers.length > 0;
    for (const closer of this.#closers.splice(0).reverse()) await closer();
    if (!this.signal.aborted) for (const name of Object.keys(STATUS)) process.off(name, this.#onSignal);
    return hadSomething;
  }
}

/** @param work whose failure no longer matters */
async function settledOrLate(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}
