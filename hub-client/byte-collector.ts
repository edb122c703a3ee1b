/**
 * Collects pieces into one buffer, up to a limit. The peer chooses the size of the pieces, so they are copied into one
 * growing buffer: kept separately, 4,000 pieces of one byte would fill a console's heap.
 */
const FIRST_BYTES = 256;
const NOTHING = new Uint8Array(0);

export class ByteCollector {
  readonly #limitBytes: number;
  #bytes: Uint8Array = NOTHING;
  #byteLength = 0;
  #isOver = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** More came than the limit; nothing of it is kept. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param bytes are copied */
  push(bytes: Uint8Array): void {
    this.#isOver ||= this.#byteLength + bytes.length > this.#limitBytes;
    if (this.#isOver) this.drop();
    else {
      this.#reserve(this.#byteLength + bytes.length);
      this.#bytes.set(bytes, this.#byteLength);
      this.#byteLength += bytes.length;
    }
  }

  /** Everything that came, in one: a view, until more comes. */
  join(): Uint8Array {
    return this.#bytes.subarray(0, this.#byteLength);
  }

  /** Keeps nothing of what has come. */
  drop(): void {
    this.#bytes = NOTHING;
    this.#byteLength = 0;
  }

  /** Doubles, so that each byte is copied twice on average, however many pieces come. */
  #reserve(byteLength: number): void {
    if (byteLength <= this.#bytes.length) return;
    const room = Math.max(byteLength, FIRST_BYTES, 2 * this.#bytes.length);
    const bytes = new Uint8Array(Math.min(room, this.#limitBytes));
    bytes.set(this.join());
    this.#bytes = bytes;
  }
}
