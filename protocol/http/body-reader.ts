/** Bodies as they come (RFC 9112 §6, §7): bytes in, content out, and where the body ends. */
import { ChunkedBody } from "./chunked-body.js";
import type { BodyFraming } from "./framing.js";

export interface BodySink {
  /** Takes content; the bytes are reused once this returns. Does not throw. */
  write(bytes: Uint8Array): void;
}

export interface BodyReader {
  readonly isComplete: boolean;
  /**
   * Takes from `chunk` what belongs to the body and passes its content on.
   * @returns how many bytes of `chunk` were taken
   * @throws {Fault} `bad_request` where the framing is broken: the end of the body is then unknown
   */
  push(chunk: Uint8Array, sink: BodySink): number;
}

export function bodyReader(framing: BodyFraming): BodyReader {
  return framing.kind === "chunked" ? new ChunkedBody() : new LengthBody(framing.byteLength);
}

/** As many bytes as Content-Length says (RFC 9112 §6.2). */
export class LengthBody implements BodyReader {
  #remaining: number;

  constructor(byteLength: number) {
    this.#remaining = byteLength;
  }

  get isComplete(): boolean {
    return this.#remaining === 0;
  }

  push(chunk: Uint8Array, sink: BodySink): number {
    const content = chunk.length > this.#remaining ? chunk.subarray(0, this.#remaining) : chunk;
    this.#remaining -= content.length;
    if (content.length > 0) sink.write(content);
    return content.length;
  }
}
