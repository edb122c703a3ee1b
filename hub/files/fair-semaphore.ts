/**
 * Semaphore with a share per owner. Grants room in the order of the requests. A request for more than is free waits; an
 * owner that has used its share waits without blocking others. A request larger than the whole capacity is granted
 * while nothing else is.
 */

export interface FairSemaphoreOptions {
  /** In the unit in which it is asked for. */
  readonly room: number;
  readonly share: number;
  /** How many may wait, and how many of one owner. */
  readonly waiting: number;
  readonly waitingShare: number;
  readonly patienceMs: number;
  /** Creates the error for a full queue, or for a request that waited too long. */
  readonly refusal: () => Error;
}

interface Asked {
  readonly owner: string;
  readonly size: number;
}

interface Waiting extends Asked {
  readonly enter: () => void;
}

export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #taken = new Map<string, number>();
  #takenInAll = 0;
  #waiting: readonly Waiting[] = [];

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  /**
   * @param signal ends the wait of who has gone
   * @returns what gives the room back; it does so once
   * @throws {Error} a refusal, or the signal's reason
   */
  async take(asked: Asked, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    await this.#wait(asked, signal);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(asked, -1);
      isTaken = false;
      this.#letIn();
    };
  }

  /** Settles when the room is theirs. */
  #wait(asked: Asked, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const { patienceMs, refusal } = this.#options;
      const leave = (reason: unknown) => {
        end();
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(reason);
        this.#letIn(); // whom this one has kept
      };
      const timer = setTimeout(() => leave(refusal()), patienceMs);
      const onAbort = () => leave(signal?.reason);
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        ...asked,
        enter: () => {
          end();
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiting = [...this.#waiting, waiting];
      this.#letIn();
      if (this.#waiting.includes(waiting) && this.#isCrowded(asked)) leave(refusal());
    });
  }

  /** Counts the new request too. */
  #isCrowded({ owner }: Asked): boolean {
    const { waiting, waitingShare } = this.#options;
    const own = this.#waiting.filter((other) => other.owner === owner);
    return this.#waiting.length > waiting || own.length > waitingShare;
  }

  /** Everybody for whom there is room, up to the first for whom there is none though they have not had their share. */
  #letIn(): void {
    const staying: Waiting[] = [];
    let isFull = false;
    for (const waiting of this.#waiting) {
      const isServed = !this.#fits(this.#takenBy(waiting.owner), waiting.size, this.#options.share);
      if (!isServed && !this.#fits(this.#takenInAll, waiting.size, this.#options.room)) isFull = true;
      if (isServed || isFull) staying.push(waiting);
      else this.#enter(waiting);
    }
    this.#waiting = staying;
  }

  #enter(waiting: Waiting): void {
    this.#add(waiting, 1);
    waiting.enter();
  }

  #fits(taken: number, size: number, limit: number): boolean {
    return taken === 0 || taken + size <= limit;
  }

  #takenBy(owner: string): number {
    return this.#taken.get(owner) ?? 0;
  }

  #add({ owner, size }: Asked, sign: 1 | -1): void {
    const taken = this.#takenBy(owner) + sign * size;
    if (taken === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, taken);
    this.#takenInAll += sign * size;
  }
}
