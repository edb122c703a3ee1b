/**
 * Collects the head of a request or an answer through its empty line (RFC 9112 §2.1). Owns one buffer, no socket. Most heads fit
 * into its own; a long one is in a block of memory until `reset`, for eight of them are a quarter of the heap.
 *
 * Lines end in CRLF; a bare LF is refused, although RFC 9112 §2.2 would let it pass, because what is a
 * line to one program and not to the next is how requests are smuggled. Empty lines before the
 * request line are skipped, as the same section asks for.
 */
import { Fault } from "../fault.js";
import type { Memory, MemoryBlock } from "../ports/runtime.js";
import { CR, HEAD_LIMIT_BYTES, HEAD_START_BYTES, LF } from "./fields.js";

/**
 * Request line without its end; more is 414. A shell line of 1024 bytes fits, percent-encoded
 * (docs/spec/http.md#head-limit).
 */
export const REQUEST_LINE_LIMIT_BYTES = 3200;

const EMPTY_LINE_BYTES = 2;

export class HeadReader {
  readonly #memory: Memory | undefined;
  readonly #firstLineLimitBytes: number;
  readonly #short: Uint8Array;
  #long: MemoryBlock | undefined;
  #bytes: Uint8Array;
  #length = 0;
  /** Where the head begins: after the empty lines before it. */
  #start = 0;
  /** Where the line begins that has not ended yet. */
  #line = 0;
  #isComplete = false;

  /**
   * @param memory where heads go; left out: into the heap
   * @param firstLineLimitBytes without its end; a status line has no limit but that of the head
   */
  constructor(memory?: Memory, firstLineLimitBytes = REQUEST_LINE_LIMIT_BYTES) {
    this.#memory = memory;
    this.#short = shortBuffer(memory);
    this.#bytes = this.#short;
    this.#firstLineLimitBytes = firstLineLimitBytes;
  }

  /** True until the first byte. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The head with its empty line as a view, or `undefined` while bytes are missing. Valid until `reset`. */
  get head(): Uint8Array | undefined {
    return this.#isComplete ? this.#bytes.subarray(this.#start, this.#length) : undefined;
  }

  /**
   * Takes from `chunk` what belongs to the head; the rest is the body's.
   * @returns how many bytes of `chunk` were taken
   * @throws {Fault} `head_too_large`, `uri_too_long`, or `bad_request` for a line that ends in bare LF
   */
  push(chunk: Uint8Array): number {
    if (this.#isComplete) return 0;
    const before = this.#length;
    this.#append(chunk);
    this.#endLines(chunk, before);
    if (this.#isComplete) return this.#length - before;
    if (this.#isFirstLineOver(this.#length)) throw this.#firstLineTooLong();
    if (this.#length - before < chunk.length)
      throw new Fault("head_too_large", `Cannot accept a request head over ${HEAD_LIMIT_BYTES} bytes`);
    return chunk.length;
  }

  /** Makes ready for the next head, and gives memory back. */
  reset(): void {
    this.#bytes = this.#short;
    this.#long?.close();
    this.#long = undefined;
    this.#length = 0;
    this.#start = 0;
    this.#line = 0;
    this.#isComplete = false;
  }

  /** Copies what fits below the limit; bytes past the end of the head are copied in vain and not taken. */
  #append(chunk: Uint8Array): void {
    const byteLength = Math.min(chunk.length, HEAD_LIMIT_BYTES - this.#length);
    if (this.#length + byteLength > this.#bytes.length) this.#grow();
    this.#bytes.set(byteLength < chunk.length ? chunk.subarray(0, byteLength) : chunk, this.#length);
    this.#length += byteLength;
  }

  #grow(): void {
    this.#long = this.#memory?.allocate(HEAD_LIMIT_BYTES);
    this.#bytes = this.#long?.bytes ?? new Uint8Array(HEAD_LIMIT_BYTES);
    this.#bytes.set(this.#short);
  }

  /** Searches `chunk`, which ends where its bytes do, rather than the buffer behind it. */
  #endLines(chunk: Uint8Array, before: number): void {
    const limit = this.#length - before;
    let lineFeed = chunk.indexOf(LF);
    while (lineFeed >= 0 && lineFeed < limit) {
      this.#endLine(before + lineFeed);
      if (this.#isComplete) return;
      lineFeed = chunk.indexOf(LF, lineFeed + 1);
    }
  }

  #endLine(lineFeed: number): void {
    if (this.#bytes[lineFeed - 1] !== CR)
      throw new Fault("bad_request", "A line of the head ends in bare LF");
    const isEmpty = lineFeed + 1 - this.#line === EMPTY_LINE_BYTES;
    if (isEmpty && this.#line === this.#start) this.#start = lineFeed + 1;
    else if (isEmpty) {
      this.#isComplete = true;
      this.#length = lineFeed + 1;
    } else if (this.#isFirstLineOver(lineFeed)) throw this.#firstLineTooLong();
    this.#line = lineFeed + 1;
  }

  #isFirstLineOver(end: number): boolean {
    return this.#line === this.#start && end - this.#start > this.#firstLineLimitBytes + 1;
  }

  #firstLineTooLong(): Fault {
    return new Fault("uri_too_long", `Cannot accept a request line over ${this.#firstLineLimitBytes} bytes`);
  }
}

/**
 * Eight of them in the heap are a third of what it has for bytes. The collector gives the block back with its reader;
 * where there is none, the heap will do.
 */
function shortBuffer(memory: Memory | undefined): Uint8Array {
  try {
    if (memory) return memory.allocate(HEAD_START_BYTES).bytes;
  } catch {
    // A connection is not to be lost for that.
  }
  return new Uint8Array(HEAD_START_BYTES);
}
