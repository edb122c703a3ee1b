/**
 * A set of names by their hash of 64 bits, eight bytes each. Two names of one hash count as one: only the maker of a
 * module can cause that, and its refusal harms no other module.
 */

const START_SLOTS = 32;

export class NameSet {
  /** Pairs of hashes; (0, 0) is an empty slot. */
  #slots = new Uint32Array(2 * START_SLOTS);
  length = 0;

  /** @returns false where the name is there already */
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
