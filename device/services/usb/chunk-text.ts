/**
 * Finding LF and CR in bytes that have just arrived. XS searches text in C but a typed array slot by
 * slot, and every byte of an upload passes here. So a chunk is decoded once, and searched as text where
 * each byte of it became one character: positions are then the same in both.
 */
export class ChunkText {
  // Not fatal: what is not UTF-8 becomes U+FFFD here, and is refused where the line is read.
  readonly #decoder = new TextDecoder();
  #bytes: Uint8Array = new Uint8Array(0);
  #text = "";
  #isAligned = true;

  /** @param bytes stay the caller's; they are read until the next `load` */
  load(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#text = this.#decoder.decode(bytes);
    // No sequence of bytes becomes more characters than it has bytes, so that the same length in total
    // is the same length all along.
    this.#isAligned = this.#text.length === bytes.length;
  }

  /** Position in the loaded bytes of the first `control` from `start` on, -1 where there is none. */
  indexOf(control: "\n" | "\r", start: number): number {
    if (this.#isAligned) return this.#text.indexOf(control, start);
    return this.#bytes.indexOf(control.charCodeAt(0), start);
  }
}
