/** A mutex per key within this process: tasks of one key run in sequence, tasks of different keys concurrently. */
export class KeyedMutex {
  /** The last of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` when whatever came before it under the same key is over, however that ended. */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
