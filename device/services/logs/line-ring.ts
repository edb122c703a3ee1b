/**
 * Lines in one block of memory, numbered from 0; the newest overwrite the oldest. A line is two bytes of length and its
 * UTF-8. A line never wraps: where the end of the block is too near, a length of {@link WRAP} marks that the next line
 * is at the start.
 *
 * Invariant: `#first` … `#next` - 1 are in the block, from `#head` (the oldest) to `#tail` (free).
 */
const WRAP = 0xffff;
const LENGTH_BYTES = 2;

export class LineRing {
  readonly #bytes: Uint8Array;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #first = 0;
  #next = 0;
  #head = 0;
  #tail = 0;
  // Where the last reader was: followers read on, so the next line is one hop away.
  #seenNumber = 0;
  #seenOffset = 0;

  /** @param bytes the block, at most 65534 bytes; the ring owns it from here on */
  constructor(bytes: Uint8Array) {
    if (bytes.length >= WRAP) throw new RangeError(`A ring holds at most ${WRAP - 1} bytes`);
    this.#bytes = bytes;
  }

  get first(): number {
    return this.#first;
  }

  get next(): number {
    return this.#next;
  }

  /** Adds a line. @throws {RangeError} when it could never fit */
  push(line: string): void {
    const encoded = this.#encoder.encode(line);
    const needed = LENGTH_BYTES + encoded.length;
    if (needed > this.#bytes.length >> 1)
      throw new RangeError(`Cannot keep a line of ${encoded.length} bytes`);
    const offset = this.#room(needed);
    this.#putLength(offset, encoded.length);
    this.#bytes.set(encoded, offset + LENGTH_BYTES);
    this.#tail = offset + needed;
    this.#next += 1;
  }

  /** @throws {RangeError} outside `first` to `next` - 1 */
  line(number: number): string {
    if (!(number >= this.#first && number < this.#next)) throw new RangeError(`No line ${number}`);
    const offset = this.#offsetOf(number);
    this.#seenNumber = number;
    this.#seenOffset = offset;
    const start = offset + LENGTH_BYTES;
    return this.#decoder.decode(this.#bytes.subarray(start, start + this.#length(offset)));
  }

  /** Drops oldest lines until `needed` bytes are free in one piece, and says where. */
  #room(needed: number): number {
    const size = this.#bytes.length;
    if (this.#tail + needed > size) {
      while (this.#first < this.#next && this.#head >= this.#tail) this.#drop();
      if (size - this.#tail >= LENGTH_BYTES) this.#putLength(this.#tail, WRAP);
      this.#tail = 0;
    }
    while (this.#first < this.#next && this.#head >= this.#tail && this.#head < this.#tail + needed)
      this.#drop();
    if (this.#first === this.#next) this.#head = this.#tail;
    return this.#tail;
  }

  #drop(): void {
    this.#head = this.#after(this.#head);
    this.#first += 1;
    if (this.#first === this.#next) this.#head = this.#tail;
  }

  #offsetOf(number: number): number {
    const ahead = this.#seenNumber >= this.#first && this.#seenNumber <= number;
    let at = ahead ? this.#seenNumber : this.#first;
    let offset = ahead ? this.#seenOffset : this.#head;
    for (; at < number; at += 1) offset = this.#after(offset);
    return offset;
  }

  /** Offset of the line behind the one at `offset`, through the wrap where there is one. */
  #after(offset: number): number {
    const behind = offset + LENGTH_BYTES + this.#length(offset);
    if (behind === this.#tail) return behind;
    const wraps = this.#bytes.length - behind < LENGTH_BYTES || this.#length(behind) === WRAP;
    return wraps ? 0 : behind;
  }

  #length(offset: number): number {
    return ((this.#bytes[offset] as number) << 8) | (this.#bytes[offset + 1] as number);
  }

  #putLength(offset: number, length: number): void {
    this.#bytes[offset] = length >> 8;
    this.#bytes[offset + 1] = length & 0xff;
  }
}
