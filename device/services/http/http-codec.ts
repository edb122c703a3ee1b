/**
 * What all HTTP servers of a console share, to save memory: the parser of heads, the encoder of answers, and the buffer that
 * is read into. Each holds one head, answer or piece at a time, which is used up or copied before the next one comes.
 */
import type { Memory, MemoryBlock } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import { HeadParser } from "./request-head.js";
import { AnswerEncoder } from "./response.js";

/** Bytes read from a socket at a time: a flash sector. */
const READ_BYTES = 4096;

export class HttpCodec {
  readonly encoder = new TextEncoder();
  readonly heads: HeadParser;
  readonly answers = new AnswerEncoder(this.encoder);
  /** Its size bounds the bytes that a connection keeps while its conversation does not take them. */
  readonly input: Uint8Array;
  readonly #block: MemoryBlock | undefined;

  /**
   * @param sandbox runs the parser of heads
   * @param memory for the buffer; left out: the heap
   */
  constructor(sandbox: Sandbox, memory?: Memory) {
    this.heads = new HeadParser(sandbox, this.encoder, new TextDecoder());
    this.#block = memory?.allocate(READ_BYTES);
    this.input = this.#block?.bytes ?? new Uint8Array(READ_BYTES);
  }

  /** To be called once its servers are closed. May be called twice. */
  close(): void {
    this.heads.close();
    this.#block?.close();
  }
}
