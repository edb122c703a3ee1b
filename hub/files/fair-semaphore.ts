/**
 * Semaphore with a share per owner. Grants requests in order. A request for more than the free capacity waits; an owner
 * that has used its share waits without blocking others. A request larger than the whole capacity is granted while
 * nothing else is.
 */

export interface FairSemaphoreOptions {
  /** In the unit of the requests' sizes. */
  readonly capacity: number;
  readonly share: number;
  /** Waiting requests at most, in total and per owner. */
  readonly queueLimit: number;
  readonly queueShare: number;
  readonly timeoutMs: number;
  /** Creates the error for a full queue or a timeout. */
  readonly createError: () => Error;
}

interface Request {
  readonly owner: string;
  readonly size: number;
}

interface Waiting extends Request {
  readonly onGranted: () => void;
}

export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #taken = new Map<string, number>();
  #takenTotal = 0;
  #queue: readonly Waiting[] = [];

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  /**
   * @param signal cancels the wait
   * @returns a function that releases the capacity; further calls have no effect
   * @throws {Error} from `createError`, or the signal's reason
   */
  async take(request: Request, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    await this.#wait(request, signal);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(request, -1);
      isTaken = false;
      this.#grantNext();
    };
  }

  /** Whether any request waits. */
  get isContended(): boolean {
    return this.#queue.length > 0;
  }

  /** Resolves when the request is granted. */
  #wait(request: Request, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const { timeoutMs, createError } = this.#options;
      const fail = (reason: unknown) => {
        end();
        this.#queue = this.#queue.filter((other) => other !== waiting);
        reject(reason);
        this.#grantNext(); // requests that this one has blocked
      };
      const timer = setTimeout(() => fail(createError()), timeoutMs);
      const onAbort = () => fail(signal?.reason);
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        ...request,
        onGranted: () => {
          end();
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort);
      this.#queue = [...this.#queue, waiting];
      this.#grantNext();
      if (this.#queue.includes(waiting) && this.#isQueueFull(request)) fail(createError());
    });
  }

  /** Counts the new request too. */
  #isQueueFull({ owner }: Request): boolean {
    const { queueLimit, queueShare } = this.#options;
    const own = this.#queue.filter((other) => other.owner === owner);
    return this.#queue.length > queueLimit || own.length > queueShare;
  }

  /** Grants all requests that fit, up to the first that only the total capacity prevents. */
  #grantNext(): void {
    const remaining: Waiting[] = [];
    let isFull = false;
    for (const waiting of this.#queue) {
      const hasShare = !this.#fits(this.#takenBy(waiting.owner), waiting.size, this.#options.share);
      if (!hasShare && !this.#fits(this.#takenTotal, waiting.size, this.#options.capacity)) isFull = true;
      if (hasShare || isFull) remaining.push(waiting);
      else this.#grant(waiting);
    }
    this.#queue = remaining;
  }

  #grant(waiting: Waiting): void {
    this.#add(waiting, 1);
    waiting.onGranted();
  }

  #fits(taken: number, size: number, limit: number): boolean {
    return taken === 0 || taken + size <= limit;
  }

  #takenBy(owner: string): number {
    return this.#taken.get(owner) ?? 0;
  }

  #add({ owner, size }: Request, sign: 1 | -1): void {
    const taken = this.#takenBy(owner) + sign * size;
    if (taken === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, taken);
    this.#takenTotal += sign * size;
  }
}
