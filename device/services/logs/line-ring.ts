/**
 * Two ring buffers of the log: `LineRing` holds the numbered lines of this run in RAM, `RetainedTail` the last lines in
 * memory that outlives a crash.
 */
import type { RetainedMemory } from "../../ports/retained-memory.js";
import { escapeControls, fittingLine, LOG_LINE_LIMIT_BYTES } from "./log-line.js";

/**
 * Layout of `LineRing`: lines in one block of memory, numbered from 0; the newest overwrite the oldest. A line is two
 * bytes of length and its UTF-8. A line never wraps: if it does not fit before the end of the block, a length of
 * {@link WRAP} marks that the next line is at the start.
 *
 * Invariant: lines `#first` … `#next` - 1 are in the block, from `#head` (the oldest) to `#tail` (free).
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
  // Last line that was read: followers read in order, so the next line is one hop away.
  #seenNumber = 0;
  #seenOffset = 0;

  /** @param bytes the block, at most 65534 bytes; ownership passes to the ring */
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

  /** Adds a line. @throws {RangeError} if it needs more than half of the block */
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

  /** Drops the oldest lines until `needed` contiguous bytes are free. @returns their offset */
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

  /** Offset of the line after the one at `offset`, which is 0 after a wrap. */
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

// The last lines of the log in memory that outlives a crash (docs/spec/logs.md#retained).
//
// Layout: a mark of four bytes, the position of the next byte (little-endian, 4 bytes), then a ring of text in which
// every line ends in LF. The position is written after the text, so that a crash between the two costs only the line
// that was being written. A run continues where the previous one stopped, so that the lines before a crash survive the
// next crash, too. Content found at boot is never trusted: without the mark, or with a position outside the ring, the
// memory is cleared.

const MARK = 0x4c435653; // "SVCL"
const HEAD_BYTES = 8;
const LF = 0x0a;
/** At a time, since the whole memory is a large part of the heap. */
const CLEARED_BYTES = 256;

/** Limit of the lines that are read back: as many as usual lines fit, since damaged memory may hold many short ones. */
const LINES_LIMIT = 256;

export class RetainedTail {
  readonly #memory: RetainedMemory;
  readonly #capacity: number;
  readonly #encoder = new TextEncoder();
  readonly #word = new DataView(new ArrayBuffer(4));
  #position = 0;

  constructor(memory: RetainedMemory) {
    this.#memory = memory;
    this.#capacity = memory.byteLength - HEAD_BYTES;
    this.#position = this.#readWord(4);
    if (this.#readWord(0) !== MARK || this.#position >= this.#capacity) this.#clear();
  }

  /** The last lines of this run and of earlier runs, oldest first. */
  lines(): string[] {
    const ordered = new Uint8Array(this.#capacity);
    const untilEnd = this.#capacity - this.#position;
    this.#memory.read(ordered.subarray(0, untilEnd), HEAD_BYTES + this.#position);
    this.#memory.read(ordered.subarray(untilEnd), HEAD_BYTES);
    return wholeLines(ordered);
  }

  /** Adds a line, which overwrites the oldest bytes. Ignores a line longer than the memory. */
  push(line: string): void {
    const bytes = this.#encoder.encode(`${line}\n`);
    if (bytes.length >= this.#capacity) return;
    const untilEnd = Math.min(bytes.length, this.#capacity - this.#position);
    this.#memory.write(bytes.subarray(0, untilEnd), HEAD_BYTES + this.#position);
    if (untilEnd < bytes.length) this.#memory.write(bytes.subarray(untilEnd), HEAD_BYTES);
    this.#position = (this.#position + bytes.length) % this.#capacity;
    this.#writeWord(4, this.#position);
  }

  #clear(): void {
    this.#writeWord(0, 0);
    const zeros = new Uint8Array(CLEARED_BYTES);
    for (let at = 0; at < this.#capacity; at += CLEARED_BYTES)
      this.#memory.write(zeros.subarray(0, this.#capacity - at), HEAD_BYTES + at);
    this.#position = 0;
    this.#writeWord(4, 0);
    this.#writeWord(0, MARK);
  }

  #readWord(offset: number): number {
    this.#memory.read(new Uint8Array(this.#word.buffer), offset);
    return this.#word.getUint32(0, true);
  }

  #writeWord(offset: number, value: number): void {
    this.#word.setUint32(0, value, true);
    this.#memory.write(new Uint8Array(this.#word.buffer), offset);
  }
}

/**
 * Every complete line of `ordered`. Skips the first line of a full ring, since it may be partly overwritten. A line
 * that was being written when the power failed may be followed by memory that was never written.
 */
function wholeLines(ordered: Uint8Array): string[] {
  const decoder = new TextDecoder();
  const lines: string[] = [];
  const isFilled = ordered[0] !== 0;
  let start = isFilled ? ordered.indexOf(LF) + 1 : 0;
  for (let end = ordered.indexOf(LF, start); end >= 0; end = ordered.indexOf(LF, start)) {
    let bytes = ordered.subarray(start, end);
    start = end + 1;
    if (bytes.indexOf(0) >= 0) bytes = bytes.subarray(bytes.lastIndexOf(0) + 1); // zeros were never written
    if (bytes.length === 0) continue;
    if (lines.length === LINES_LIMIT) lines.shift();
    lines.push(fittingLine(escapeControls(decoder.decode(bytes.subarray(0, LOG_LINE_LIMIT_BYTES)))));
  }
  return lines;
}
