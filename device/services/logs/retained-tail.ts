/**
 * The last lines of the log in memory that outlives a crash (docs/spec/logs.md#retained).
 *
 * Layout: a mark of four bytes, the position of the next byte (little-endian, 4 bytes), then a ring of
 * text in which every line ends in LF. The position is written after the text, so that a crash between
 * the two costs only the line that was being written. A run continues where the previous one stopped, so that the lines
 * before a crash survive the next crash, too. Content found at boot is never trusted: without the mark, or with a
 * position outside the ring, there was no previous run.
 */
import type { RetainedMemory } from "../../ports/retained-memory.js";
import { escapeControls } from "./log-line.js";

const MARK = 0x4c435653; // "SVCL"
const HEAD_BYTES = 8;
const LF = 0x0a;

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

  /** The last lines of this run and of those before it, oldest first. */
  lines(): string[] {
    const ring = new Uint8Array(this.#capacity);
    this.#memory.read(ring, HEAD_BYTES);
    const ordered = new Uint8Array(this.#capacity);
    ordered.set(ring.subarray(this.#position));
    ordered.set(ring.subarray(0, this.#position), this.#capacity - this.#position);
    return wholeLines(ordered);
  }

  /** Adds a line over the oldest bytes. A line longer than the memory is left out. */
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
    this.#memory.write(new Uint8Array(this.#capacity), HEAD_BYTES);
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

/** Every complete line of `ordered`; the first is the rest of one that was overwritten, unless it is whole. */
function wholeLines(ordered: Uint8Array): string[] {
  const isFilled = ordered[0] !== 0;
  const start = isFilled ? ordered.indexOf(LF) + 1 : firstText(ordered);
  const end = ordered.lastIndexOf(LF);
  if (end < start) return [];
  const text = new TextDecoder().decode(ordered.subarray(start, end));
  return text.split("\n").filter(Boolean).map(escapeControls);
}

/** A ring that was never full starts with zeros. */
function firstText(ordered: Uint8Array): number {
  let offset = 0;
  while (offset < ordered.length && ordered[offset] === 0) offset += 1;
  return offset;
}
