/**
 * The splitter in TypeScript that consoles had before the program `device/sandbox/usb-line`, which must give the same lines.
 *
 * Splits bytes from USB into lines (docs/spec/usb.md#line-limit): LF ends a line, CR is ignored anywhere, empty lines
 * are skipped. Owns one buffer, no port. Bytes from the port go directly into the buffer, and `next` returns a line in
 * place, without a copy:
 *
 *   |  returned  |    incomplete line    | just arrived |   room   |
 *                ^ #start                ^ #fresh       ^ #end     ^ LINE_BUFFER_BYTES
 *
 * Of a line over the limit, `next` returns the beginning once; the rest, up to the next LF, is dropped.
 */
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";

/** The longest line plus its LF, which distinguishes it from a line that is too long. */
export const LINE_BUFFER_BYTES = CHUNK_LINE_LIMIT_BYTES + 1;

export interface Line {
  /**
   * Without CR and LF. A view of the reader's buffer; the receiver may overwrite it until the next use of the reader.
   */
  readonly bytes: Uint8Array;
  /** False for the beginning of a line over {@link CHUNK_LINE_LIMIT_BYTES}. */
  readonly isWhole: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

export class LineReader {
  readonly #bytes: Uint8Array;
  #arrived: Uint8Array = new Uint8Array(0);
  #start = 0;
  #fresh = 0;
  #end = 0;
  #isDropping = false;

  /** @param bytes buffer of {@link LINE_BUFFER_BYTES} */
  constructor(bytes: Uint8Array = new Uint8Array(LINE_BUFFER_BYTES)) {
    this.#bytes = bytes;
  }

  /**
   * Read more bytes. Call it only after `next` has returned `undefined`.
   * @param byteLength number of bytes available
   * @param fill reads bytes until the view is full
   * @returns the number of bytes read, at least one
   */
  feed(byteLength: number, fill: (into: Uint8Array) => void): number {
    this.#makeRoom();
    const into = this.#bytes.subarray(this.#end, this.#end + byteLength);
    fill(into);
    this.#fresh = this.#end;
    this.#end += into.length;
    this.#arrived = into;
    if (into.indexOf(CR) >= 0) this.#dropReturns(into);
    return into.length;
  }

  /** The next non-empty line, or `undefined` if more bytes are needed. */
  next(): Line | undefined {
    while (this.#start < this.#end) {
      const lineFeed = this.#lineFeed();
      if (lineFeed < 0) return this.#isDropping ? this.#drop() : this.#tooLong();
      const start = this.#start;
      this.#start = lineFeed + 1;
      if (this.#isDropping) this.#isDropping = false;
      else if (lineFeed > start) return { bytes: this.#bytes.subarray(start, lineFeed), isWhole: true };
    }
    return undefined;
  }

  /** Drop all bytes, including an incomplete line. */
  reset(): void {
    this.#start = 0;
    this.#end = 0;
    this.#isDropping = false;
  }

  /** Moves the incomplete line to the start. `next` has searched all bytes, so the line is shorter than the buffer. */
  #makeRoom(): void {
    if (this.#start > 0) this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
  }

  /** Index of the next LF, which can only be among the bytes that just arrived; -1 if there is none. */
  #lineFeed(): number {
    const found = this.#arrived.indexOf(LF, Math.max(0, this.#start - this.#fresh));
    return found < 0 ? found : this.#fresh + found;
  }

  #drop(): undefined {
    this.#start = this.#end;
  }

  /** The beginning of the incomplete line, if it is over the limit. */
  #tooLong(): Line | undefined {
    if (this.#end - this.#start <= CHUNK_LINE_LIMIT_BYTES) return undefined;
    const bytes = this.#bytes.subarray(this.#start, this.#start + CHUNK_LINE_LIMIT_BYTES);
    this.#start = this.#end;
    this.#isDropping = true;
    return { bytes, isWhole: false };
  }

  /** Removes CRs from the bytes that just arrived. */
  #dropReturns(arrived: Uint8Array): void {
    let length = 0;
    for (let start = 0; start < arrived.length; ) {
      const found = arrived.indexOf(CR, start);
      const stop = found < 0 ? arrived.length : found;
      arrived.copyWithin(length, start, stop);
      length += stop - start;
      start = stop + 1;
    }
    this.#end = this.#fresh + length;
    this.#arrived = arrived.subarray(0, length);
  }
}
