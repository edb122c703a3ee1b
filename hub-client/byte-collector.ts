/** Puts together what comes in pieces, up to a limit. */
export class ByteCollector {
  readonly #limitBytes: number;
  #pieces: Uint8Array[] = [];
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
    this.#byteLength += bytes.length;
    this.#isOver ||= this.#byteLength > this.#limitBytes;
    if (this.#isOver) this.#pieces = [];
    else this.#pieces.push(bytes.slice());
  }

  /** Everything that came, in one. */
  join(): Uint8Array {
    const [first] = this.#pieces;
    if (first && this.#pieces.length === 1) return first;
    const all = new Uint8Array(this.#isOver ? 0 : this.#byteLength);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }
}
