/**
 * Cuts what arrives over USB into lines (document 1, USB framing; section 3 of the decisions): LF ends a
 * line, CR is ignored wherever it stands, empty lines are nothing. Owns one buffer, no port.
 *
 * A line that outgrows the buffer is handed out once, as far as it fits; the rest of it, up to the next
 * LF, is dropped.
 */
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";
import { ChunkText } from "./chunk-text.js";

export interface Line {
  /** Without CR and LF. A view, valid until the reader is used again. */
  readonly bytes: Uint8Array;
  /** False for the beginning of a line over {@link CHUNK_LINE_LIMIT_BYTES}. */
  readonly isWhole: boolean;
}

export class LineReader {
  readonly #line: Uint8Array;
  #length = 0;
  #isDropping = false;
  readonly #text = new ChunkText();
  #chunk: Uint8Array = new Uint8Array(0);
  #taken = 0;
  /** The first CR that was not passed yet, -1 where there is none. */
  #return = -1;

  /** @param line memory for the longest line, {@link CHUNK_LINE_LIMIT_BYTES} */
  constructor(line: Uint8Array = new Uint8Array(CHUNK_LINE_LIMIT_BYTES)) {
    this.#line = line;
  }

  /** Gives the reader its next bytes; they must stay as they are until `next` returns `undefined`. */
  feed(chunk: Uint8Array): void {
    if (this.#taken < this.#chunk.length) throw new Error("Cannot feed a reader that is not through");
    this.#chunk = chunk;
    this.#taken = 0;
    this.#text.load(chunk);
    this.#return = this.#text.indexOf("\r", 0);
  }

  /** The next line that is not empty, or `undefined` once more bytes are needed. */
  next(): Line | undefined {
    while (this.#taken < this.#chunk.length) {
      const lineFeed = this.#text.indexOf("\n", this.#taken);
      const line = this.#isDropping ? this.#drop(lineFeed) : this.#take(lineFeed);
      if (line) return line;
    }
    return undefined;
  }

  /** Forgets the line that has begun and the bytes that were fed. */
  reset(): void {
    this.#length = 0;
    this.#isDropping = false;
    this.#taken = this.#chunk.length;
  }

  #take(lineFeed: number): Line | undefined {
    const end = lineFeed < 0 ? this.#chunk.length : lineFeed;
    const fits = this.#append(end);
    this.#taken = fits ? end + 1 : end;
    if (fits && lineFeed < 0) return undefined;
    const bytes = this.#line.subarray(0, this.#length);
    this.#length = 0;
    this.#isDropping = !fits;
    return bytes.length > 0 ? { bytes, isWhole: fits } : undefined;
  }

  #drop(lineFeed: number): undefined {
    this.#isDropping = lineFeed < 0;
    this.#taken = lineFeed < 0 ? this.#chunk.length : lineFeed + 1;
  }

  /** Adds the bytes before `end` without their CR. @returns whether all of them fit */
  #append(end: number): boolean {
    for (let start = this.#taken; start < end; ) {
      const stop = this.#returnFrom(start, end);
      if (!this.#put(this.#chunk.subarray(start, stop))) return false;
      start = stop + 1;
    }
    return true;
  }

  #put(bytes: Uint8Array): boolean {
    const room = this.#line.length - this.#length;
    const fits = bytes.length <= room;
    this.#line.set(fits ? bytes : bytes.subarray(0, room), this.#length);
    this.#length += fits ? bytes.length : room;
    return fits;
  }

  /** Position of the next CR between `start` and `end`, `end` where there is none. */
  #returnFrom(start: number, end: number): number {
    if (this.#return >= 0 && this.#return < start) this.#return = this.#text.indexOf("\r", start);
    return this.#return >= 0 && this.#return < end ? this.#return : end;
  }
}
