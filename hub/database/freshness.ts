/**
 * Whether what was read a moment ago is still so, told without asking the database: for answers that many ask for and
 * few change.
 */

export interface Freshness {
  /**
   * Another text once anything has been written, by whomever. `undefined` where only the database could tell, as
   * where several processes share one: nothing is kept then.
   */
  stamp(): string | undefined;
}

/** Only the database can tell. */
export const UNKNOWN_FRESHNESS: Freshness = Object.freeze({ stamp: () => undefined });

/** Values by their names, all of them forgotten as soon as anything is written. */
export class FreshValues<Value> {
  readonly #freshness: Freshness;
  readonly #limit: number;
  readonly #values = new Map<string, Value>();
  #stamp: string | undefined;

  /** @param limit how many are kept */
  constructor(freshness: Freshness, limit: number) {
    this.#freshness = freshness;
    this.#limit = limit;
  }

  /** The value of this name, kept or made. One that is overtaken by a write while it is made is not kept. */
  get(name: string, make: () => Promise<Value>): Value | Promise<Value> {
    const stamp = this.#freshness.stamp();
    if (stamp === undefined) return make();
    if (stamp !== this.#stamp) {
      this.#values.clear();
      this.#stamp = stamp;
    }
    return this.#values.get(name) ?? this.#make(name, make);
  }

  async #make(name: string, make: () => Promise<Value>): Promise<Value> {
    const stamp = this.#stamp;
    const value = await make();
    if (this.#stamp === stamp && this.#freshness.stamp() === stamp && this.#values.size < this.#limit)
      this.#values.set(name, value);
    return value;
  }
}
