/** Collects a response head through its empty line. A malformed head is an error of the server, not of the request. */

import { HeadReader } from "../protocol/http/head-reader.js";
import { HEAD_LIMIT_BYTES } from "../protocol/http/limits.js";
import type { Memory } from "../protocol/ports/memory.js";
import { notHttp } from "./answer-head.js";

export class AnswerHeadReader {
  readonly #reader: HeadReader;

  constructor(memory: Memory) {
    this.#reader = new HeadReader(memory, HEAD_LIMIT_BYTES);
  }

  /** The head with its empty line as a view, or `undefined` while bytes are missing. Valid until `reset`. */
  get head(): Uint8Array | undefined {
    return this.#reader.head;
  }

  /**
   * @returns how many bytes of `chunk` were taken; the rest is the body's
   * @throws {Fault} `hub_refused`
   */
  push(chunk: Uint8Array): number {
    try {
      return this.#reader.push(chunk);
    } catch (cause) {
      throw notHttp(cause);
    }
  }

  /** Makes ready for the next head, and gives memory back. */
  reset(): void {
    this.#reader.reset();
  }
}
