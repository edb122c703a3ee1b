/**
 * Collects the head of a request or a response through its empty line (RFC 9112 §2.1). Owns one buffer, no socket. Most
 * heads fit into that buffer. A longer head moves to a block outside the heap until `reset`, because eight of them
 * would take a quarter of the heap.
 *
 * Lines end in CRLF. A bare LF is rejected, although RFC 9112 §2.2 allows accepting it: programs that disagree on line
 * ends make request smuggling possible. Empty lines before the request line are skipped, as the same section asks.
 */
import { Fault } from "../fault.js";
import type { Memory, MemoryBlock } from "../ports/runtime.js";
import { CR, HEAD_LIMIT_BYTES, HEAD_START_BYTES, LF } from "./fields.js";

/**
 * Request line without its line end; a longer one is 414. A percent-encoded shell line of 1024 bytes fits
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
  /** Start of the head, after any empty lines before it. */
  #start = 0;
  /** Start of the current line. */
  #line = 0;
  #isComplete = false;

  /**
   * @param memory for the buffers; the heap if left out
   * @param firstLineLimitBytes limit of the first line without its line end; for status lines, pass the head's limit
   */
  constructor(memory?: Memory, firstLineLimitBytes = REQUEST_LINE_LIMIT_BYTES) {
    this.#memory = memory;
    this.#short = shortBuffer(memory);
    this.#bytes = this.#short;
    this.#firstLineLimitBytes = firstLineLimitBytes;
  }

  /** Whether no byte has arrived since the last `reset`. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The head with its empty line as a view; `undefined` while incomplete. Valid until `reset`. */
  get head(): Uint8Array | undefined {
    return this.#isComplete ? this.#bytes.subarray(this.#start, this.#length) : undefined;
  }

  /**
   * Consume the part of `chunk` that belongs to the head; the rest belongs to the body.
   * @returns how many bytes of `chunk` were consumed
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

  /** Prepare for the next head, and free the block of a long one. */
  reset(): void {
    this.#bytes = this.#short;
    this.#long?.close();
    this.#long = undefined;
    this.#length = 0;
    this.#start = 0;
    this.#line = 0;
    this.#isComplete = false;
  }

  /** Copy as much as the limit allows. Can copy bytes past the end of the head; {@link push} does not count those. */
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

  /** Searches `chunk` rather than the buffer, which contains stale bytes past `#length`. */
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
 * The initial buffer, outside the heap if possible: eight of them take a third of the heap's space for bytes. The
 * collector frees the block together with its reader.
 */
function shortBuffer(memory: Memory | undefined): Uint8Array {
  try {
    if (memory) return memory.allocate(HEAD_START_BYTES).bytes;
  } catch {
    // No memory left there: use the heap rather than lose the connection.
  }
  return new Uint8Array(HEAD_START_BYTES);
}
