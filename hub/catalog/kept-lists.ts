/**
 * Caches the answers to `GET /catalog`: the list changes only when a publisher changes it, but clients request it all
 * the time. This process invalidates the cache on its own writes; the database reports those of other processes.
 */
import type { OtherWriters } from "../database/other-writers.js";

/** With a hundred entries each they use some 7 MiB. */
const LISTS_LIMIT = 256;

export class KeptLists {
  readonly #others: OtherWriters;
  readonly #lists = new Map<string, Buffer>();
  #stamp: number | undefined;
  #changes = 0;

  constructor(others: OtherWriters) {
    this.#others = others;
  }

  /**
   * Answers synchronously where possible, since a promise would cost as much as everything else.
   * @param make called on a cache miss
   */
  get(key: string, make: () => Promise<Buffer>): Buffer | Promise<Buffer> {
    const stamp = this.#others.stamp();
    if (stamp === undefined) return make();
    if (stamp !== this.#stamp) this.clear();
    this.#stamp = stamp;
    return this.#lists.get(key) ?? this.#make(key, make);
  }

  /** The catalogue has changed. */
  clear(): void {
    this.#changes++;
    this.#lists.clear();
  }

  /** What is overtaken by a change while it is made is not kept. */
  async #make(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const changes = this.#changes;
    const made = await make();
    if (changes === this.#changes) this.#keep(key, made);
    return made;
  }

  #keep(key: string, list: Buffer): void {
    if (this.#lists.size >= LISTS_LIMIT) this.#lists.clear();
    this.#lists.set(key, list);
  }
}
