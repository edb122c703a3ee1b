/**
 * Batches writes: a transaction costs a disk flush or a round trip, however little it writes. While one batch is being
 * written, the next one gathers, and then waits for others as the first one did. Reads of many at once gain as much.
 */

interface BatchOptions<Item> {
  /** Maximum items of one batch. */
  readonly limit: number;
  /** How long items wait for others, unless a batch is full. */
  readonly delayMs: number;
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** Receives the items that could not be written. The batch drops them; to retry, add them again. */
  readonly onFailed: (items: readonly Item[], error: unknown) => void;
}

export class Batch<Item> {
  readonly #options: BatchOptions<Item>;
  #items: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** Items so far. */
  #added = 0;
  /** Those that are written, or have failed. */
  #settled = 0;

  constructor(options: BatchOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#added += 1;
    if (!this.#writing) this.#startSoon();
  }

  /** Resolves when the items that have been added until now are written, or have failed. */
  async flush(): Promise<void> {
    const added = this.#added;
    while (this.#settled < added) {
      if (!this.#writing) this.#start();
      await this.#writing;
    }
  }

  /** Resolves when all added items are written, or have failed, also those that are added meanwhile. */
  async drain(): Promise<void> {
    while (this.#writing || this.#items.length > 0) {
      if (!this.#writing) this.#start();
      await this.#writing;
    }
  }

  #startSoon(): void {
    if (this.#items.length >= this.#options.limit) this.#start();
    else if (this.#items.length > 0) this.#timer ??= setTimeout(() => this.#start(), this.#options.delayMs);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#write(this.#items.splice(0, this.#options.limit)).finally(() => {
      this.#writing = undefined;
      this.#startSoon();
    });
  }

  async #write(items: readonly Item[]): Promise<void> {
    try {
      await this.#options.write(items);
    } catch (error) {
      this.#options.onFailed(items, error);
    }
    this.#settled += items.length;
  }
}
