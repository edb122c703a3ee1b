/**
 * Answers to `GET /catalog` as they were sent last: the list changes when somebody publishes, and is asked for all
 * the time. Only a process that has the database for itself keeps any, since it knows of each change at once.
 */

/** Of a hundred entries each they take some 7 MiB. */
const LISTS_LIMIT = 256;

export class KeptLists {
  readonly #isKeeping: boolean;
  readonly #lists = new Map<string, string>();
  #changes = 0;

  /** @param isAlone whether no other process changes the catalogue */
  constructor(isAlone: boolean) {
    this.#isKeeping = isAlone;
  }

  /** @param make is called where the answer is not there */
  async get(key: string, make: () => Promise<string>): Promise<string> {
    const kept = this.#lists.get(key);
    if (kept !== undefined) return kept;
    const changes = this.#changes;
    const made = await make();
    if (this.#isKeeping && changes === this.#changes) this.#keep(key, made);
    return made;
  }

  /** The catalogue has changed. */
  clear(): void {
    this.#changes++;
    this.#lists.clear();
  }

  #keep(key: string, list: string): void {
    if (this.#lists.size >= LISTS_LIMIT) this.#lists.clear();
    this.#lists.set(key, list);
  }
}
