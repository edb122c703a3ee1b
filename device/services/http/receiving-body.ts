/**
 * The phase of a conversation in which a body arrives: passes it to its exchange, or discards it.
 *
 * A short body without a receiver (the request was rejected, or the endpoint has no body) is read to its end, so that
 * the connection can stay open: the next request begins after it.
 */
import { Fault } from "../../../protocol/fault.js";
import type { BodyReader, BodySink } from "../../../protocol/http/body-reader.js";
import type { Exchange } from "../api/request.js";

/**
 * Longest body that is discarded, of a rejected request or for an endpoint without a body
 * (docs/spec/http.md#discarded-body).
 */
export const DISCARD_LIMIT_BYTES = 64 * 1024;

export class ReceivingBody implements BodySink {
  readonly phase = "body";
  readonly #reader: BodyReader;
  /** Ended or aborted exactly once; `undefined` after the request has failed. */
  #exchange: Exchange | undefined;
  #failure: unknown;
  #discardedBytes = 0;

  constructor(reader: BodyReader, exchange: Exchange | undefined, failure: unknown) {
    this.#reader = reader;
    this.#exchange = exchange;
    this.#failure = failure;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  /** The exchange that has received the body so far; `undefined` if the request has failed. */
  get exchange(): Exchange | undefined {
    return this.#exchange;
  }

  /** Why the request has failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether more was discarded than the limit. */
  get isOverLimit(): boolean {
    return this.#discardedBytes > DISCARD_LIMIT_BYTES;
  }

  /** @returns how many bytes belong to the body */
  push(bytes: Uint8Array): number {
    return this.#reader.push(bytes, this);
  }

  write(bytes: Uint8Array): void {
    if (this.#exchange && !this.#exchange.ignoresBody) this.#pass(this.#exchange, bytes);
    else this.#discard(bytes.length);
  }

  /** The body will not be complete, or is no longer needed. */
  fail(failure: unknown): void {
    this.#exchange?.abort();
    this.#exchange = undefined;
    this.#failure = failure;
  }

  #pass(exchange: Exchange, bytes: Uint8Array): void {
    try {
      exchange.write(bytes);
    } catch (failure) {
      this.fail(failure);
    }
  }

  #discard(byteLength: number): void {
    this.#discardedBytes += byteLength;
    if (this.isOverLimit && this.#exchange) this.fail(unwantedBody());
  }
}

export function unwantedBody(): Fault {
  return new Fault(
    "body_too_large",
    `This endpoint has no body; a body over ${DISCARD_LIMIT_BYTES} bytes is rejected`,
  );
}
