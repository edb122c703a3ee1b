/** Lists of small numbers that grow by half when full: memory follows a module's contents, not the counts it claims. */

const START_LENGTH = 32;

export class ByteList {
  items = new Uint8Array(START_LENGTH);
  length = 0;

  push(value: number): void {
    if (this.length === this.items.length) {
      const grown = new Uint8Array(this.length + (this.length >> 1));
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length++] = value;
  }

  at(index: number): number {
    return this.items[index] as number;
  }
}

export class ShortList {
  items: Uint16Array;
  length = 0;

  /** @param items initial storage */
  constructor(items: Uint16Array = new Uint16Array(START_LENGTH)) {
    this.items = items;
  }

  push(value: number): void {
    if (this.length === this.items.length) this.reserve(this.length + (this.length >> 1));
    this.items[this.length++] = value;
  }

  /** Allocates room for `length` items in total, so that a list of known length is not copied as it grows. */
  reserve(length: number): void {
    if (length <= this.items.length) return;
    const grown = new Uint16Array(length);
    grown.set(this.items);
    this.items = grown;
  }

  at(index: number): number {
    return this.items[index] as number;
  }
}
