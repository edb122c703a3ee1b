/**
 * Cuts what arrives over USB into lines (docs/spec/usb.md#line-limit): LF ends a line, CR is ignored anywhere, empty
 * lines are skipped. Owns one buffer, no port. The port is read into the buffer, and a line is handed out in place,
 * without a copy:
 *
 *   | handed out | a line that has begun | just arrived |   room   |
 *                ^ #start                ^ #fresh       ^ #end     ^ LINE_BUFFER_BYTES
 *
 * A line that exceeds its limit is handed out once, as far as it goes; the rest of it, up to the next LF,
 * is dropped.
 */
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";

/** The longest line with its LF, which distinguishes it from one that is too long. */
export const LINE_BUFFER_BYTES = CHUNK_LINE_LIMIT_BYTES + 1;

export interface Line {
  /** Without CR and LF. Memory of the reader, which the receiver may change until the next use of the reader. */
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

  /** @param bytes memory for the longest line and its end, {@link LINE_BUFFER_BYTES} */
  constructor(bytes: Uint8Array = new Uint8Array(LINE_BUFFER_BYTES)) {
    this.#bytes = bytes;
  }

  /**
   * Takes more bytes, once `next` has returned `undefined`.
   * @param byteLength how many there are
   * @param fill puts the first of them into a view, all of it
   * @returns how many were taken, at least one
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

  /** The next line that is not empty, or `undefined` once more bytes are needed. */
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

  /** Forgets the line that has begun and the bytes that were fed. */
  reset(): void {
    this.#start = 0;
    this.#end = 0;
    this.#isDropping = false;
  }

  /** All that was fed is searched by then, so a line that has begun is shorter than the buffer. */
  #makeRoom(): void {
    if (this.#start > 0) this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
  }

  /** Where the next line ends, which is in what has just arrived; -1 where it does not. */
  #lineFeed(): number {
    const found = this.#arrived.indexOf(LF, Math.max(0, this.#start - this.#fresh));
    return found < 0 ? found : this.#fresh + found;
  }

  #drop(): undefined {
    this.#start = this.#end;
  }

  /** The line that has begun, where it is too long by now. */
  #tooLong(): Line | undefined {
    if (this.#end - this.#start <= CHUNK_LINE_LIMIT_BYTES) return undefined;
    const bytes = this.#bytes.subarray(this.#start, this.#start + CHUNK_LINE_LIMIT_BYTES);
    this.#start = this.#end;
    this.#isDropping = true;
    return { bytes, isWhole: false };
  }

  /** Moves together what is left of the bytes that have just arrived. */
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
