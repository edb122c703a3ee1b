/**
 * A set of names, stored as 64-bit hashes. Names with equal hashes count as duplicates: only the author of a module
 * can cause that, and it rejects that module alone.
 */

const START_SLOTS = 32;

export class NameSet {
  /** Pairs of hashes. (0, 0) is an empty slot; the second hash of a name is always odd. */
  #slots = new Uint32Array(2 * START_SLOTS);
  length = 0;

  /** @returns false if the set already contains the name */
  add(firstHash: number, secondHash: number): boolean {
    if (4 * (this.length + 1) > 3 * (this.#slots.length / 2)) this.#grow();
    const isNew = insert(this.#slots, firstHash >>> 0, (secondHash | 1) >>> 0);
    if (isNew) this.length++;
    return isNew;
  }

  #grow(): void {
    const grown = new Uint32Array(2 * this.#slots.length);
    for (let at = 0; at < this.#slots.length; at += 2)
      if (this.#slots[at + 1] !== 0) insert(grown, this.#slots[at] as number, this.#slots[at + 1] as number);
    this.#slots = grown;
  }
}

function insert(slots: Uint32Array, first: number, second: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = first & mask; ; slot = (slot + 1) & mask) {
    if (slots[2 * slot + 1] === 0) {
      slots[2 * slot] = first;
      slots[2 * slot + 1] = second;
      return true;
    }
    if (slots[2 * slot] === first && slots[2 * slot + 1] === second) return false;
  }
}
