/**
 * Buffers one chunk while its bytes arrive. A sink cannot return bytes, so it gets a chunk only once the chunk is
 * whole: a connection that breaks within a chunk costs that chunk and not the upload. A chunk that arrives in one
 * piece, as every chunk over USB does, is passed on directly, without a copy.
 *
 * The console has one buffer. A chunk that arrives while another one is incomplete takes the buffer over: the client
 * has retried, and its earlier request may remain in a dead connection that has not timed out.
 */

import { Fault } from "../../../protocol/fault.js";
import { CHUNK_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Answer, Exchange } from "../api/request.js";
import { chunkTooLarge, emptyBody } from "./upload-phase.js";

export class ChunkBuffer {
  readonly #bytes: Uint8Array;
  #byteLength = 0;
  #holder: object | undefined;

  /** @param bytes memory for one chunk, `CHUNK_LIMIT_BYTES` long */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Empties the buffer for `holder`; the previous holder has lost it. */
  claim(holder: object): void {
    this.#holder = holder;
    this.#byteLength = 0;
  }

  /** @returns the bytes that are there @throws {Fault} `chunk_too_large`, `upload_busy` for one that has lost the buffer */
  append(holder: object, bytes: Uint8Array): number {
    this.#check(holder);
    if (bytes.length > CHUNK_LIMIT_BYTES - this.#byteLength) throw chunkTooLarge();
    this.#bytes.set(bytes, this.#byteLength);
    this.#byteLength += bytes.length;
    return this.#byteLength;
  }

  /**
   * @returns the chunk, as a view that is good until the next `claim`
   * @throws {Fault} `upload_incomplete` where nothing has come, `upload_busy` for one that has lost the buffer
   */
  take(holder: object): Uint8Array {
    this.release(holder);
    if (this.#byteLength === 0) throw emptyBody();
    return this.#bytes.subarray(0, this.#byteLength);
  }

  /** For a chunk that needs no buffer. @throws {Fault} `upload_busy` for one that has lost the buffer */
  release(holder: object): void {
    this.#check(holder);
    this.#holder = undefined;
  }

  releaseIfHeld(holder: object): void {
    if (this.#holder === holder) this.#holder = undefined;
  }

  #check(holder: object): void {
    if (this.#holder !== holder)
      throw new Fault("upload_busy", "Another chunk arrived before this one was complete");
  }
}

interface ChunkCallbacks {
  /** So many bytes of the chunk are there. */
  onBytes(bodyBytes: number): void;
  /** Answers the whole chunk, whose bytes are reused once this returns. */
  onChunk(bytes: Uint8Array): Answer | Promise<Answer>;
}

/** The body of one request that carries a chunk. */
export class ChunkReceiver implements Exchange {
  readonly #buffer: ChunkBuffer;
  readonly #callbacks: ChunkCallbacks;
  readonly #byteLength: number | undefined;
  /** The answer to a chunk that arrived in one piece. */
  #answer: Answer | Promise<Answer> | undefined;

  /** @param byteLength of the chunk, where it is known; at most `CHUNK_LIMIT_BYTES` */
  constructor(buffer: ChunkBuffer, callbacks: ChunkCallbacks, byteLength: number | undefined) {
    this.#buffer = buffer;
    this.#callbacks = callbacks;
    this.#byteLength = byteLength;
    buffer.claim(this);
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === this.#byteLength) this.#takeWhole(bytes);
    else {
      this.#callbacks.onBytes(this.#buffer.append(this, bytes));
    }
  }

  end(): Answer | Promise<Answer> {
    return this.#answer ?? this.#callbacks.onChunk(this.#buffer.take(this));
  }

  abort(): void {
    this.#buffer.releaseIfHeld(this);
  }

  #takeWhole(bytes: Uint8Array): void {
    this.#buffer.release(this);
    this.#callbacks.onBytes(bytes.length);
    this.#answer = this.#callbacks.onChunk(bytes);
  }
}
