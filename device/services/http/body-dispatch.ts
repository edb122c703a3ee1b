/**
 * Carries the body of one request to its exchange, or drops it.
 *
 * A short body without a receiver (its request was refused, or its endpoint takes none) is read to its end all
 * the same, so that the connection can stay open: the next request begins right after it.
 */
import { Fault } from "../../../protocol/fault.js";
import type { BodySink } from "../../../protocol/http/body-reader.js";
import type { Exchange } from "../api/request.js";

/**
 * Body that may come with a request whose endpoint takes none, or that is refused; it is discarded
 * (docs/spec/http.md#discarded-body).
 */
const DISCARD_LIMIT_BYTES = 64 * 1024;

export class BodyDispatch implements BodySink {
  /** Ended or aborted exactly once; `undefined` once the request has failed. */
  #exchange: Exchange | undefined;
  #failure: unknown;
  #discardedBytes = 0;

  constructor(exchange: Exchange | undefined, failure?: unknown) {
    this.#exchange = exchange;
    this.#failure = failure;
  }

  /** The exchange that the whole body went to, `undefined` where the request has failed. */
  get exchange(): Exchange | undefined {
    return this.#exchange;
  }

  /** Why there is no exchange. */
  get failure(): unknown {
    return this.#failure;
  }

  /** More was discarded than is worth it. */
  get isOverdrawn(): boolean {
    return this.#discardedBytes > DISCARD_LIMIT_BYTES;
  }

  write(bytes: Uint8Array): void {
    if (this.#exchange && !this.#exchange.ignoresBody) this.#pass(this.#exchange, bytes);
    else this.#discard(bytes.length);
  }

  /** The body will not be completed, or need not be. */
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
    if (this.isOverdrawn && this.#exchange) this.fail(unwantedBody());
  }
}

/** Whether a body of known length is short enough to be discarded. */
export function isDiscardable(byteLength: number | undefined): boolean {
  return byteLength === undefined || byteLength <= DISCARD_LIMIT_BYTES;
}

export function unwantedBody(): Fault {
  return new Fault(
    "body_too_large",
    `No body is accepted here, and none over ${DISCARD_LIMIT_BYTES} bytes is read`,
  );
}
