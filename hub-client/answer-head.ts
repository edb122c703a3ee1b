/** Parses the bytes of a response head (RFC 9112 §4, §6.3). */
import { Fault } from "../protocol/fault.js";
import { type Framing, readFraming } from "../protocol/http/body-reader.js";
import {
  CR,
  checkFieldLines,
  type Decoder,
  Fields,
  fieldValueEnd,
  HEAD_LIMIT_BYTES,
  LF,
} from "../protocol/http/fields.js";
import { HeadReader } from "../protocol/http/head-reader.js";
import type { Memory } from "../protocol/ports/runtime.js";

/** First size of the buffer of a {@link ByteCollector}. */
const FIRST_BYTES = 256;
const NOTHING = new Uint8Array(0);

/**
 * Collects pieces into one growing buffer, up to a limit. The peer chooses the size of the pieces: stored separately,
 * 4,000 pieces of one byte would fill a console's heap.
 */
export class ByteCollector {
  readonly #limitBytes: number;
  #bytes: Uint8Array = NOTHING;
  #byteLength = 0;
  #isOver = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether more bytes arrived than the limit; then none are stored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param bytes are copied */
  push(bytes: Uint8Array): void {
    this.#isOver ||= this.#byteLength + bytes.length > this.#limitBytes;
    if (this.#isOver) this.drop();
    else {
      this.#reserve(this.#byteLength + bytes.length);
      this.#bytes.set(bytes, this.#byteLength);
      this.#byteLength += bytes.length;
    }
  }

  /** @returns all bytes, as a view that is valid until the next `push` */
  join(): Uint8Array {
    return this.#bytes.subarray(0, this.#byteLength);
  }

  /** Discards all bytes. */
  drop(): void {
    this.#bytes = NOTHING;
    this.#byteLength = 0;
  }

  /** Doubles the buffer, so that each byte is copied twice on average for any number of pieces. */
  #reserve(byteLength: number): void {
    if (byteLength <= this.#bytes.length) return;
    const room = Math.max(byteLength, FIRST_BYTES, 2 * this.#bytes.length);
    const bytes = new Uint8Array(Math.min(room, this.#limitBytes));
    bytes.set(this.join());
    this.#bytes = bytes;
  }
}

/** A response that does not declare its length ends with its connection. */
export type AnswerFraming = Framing | { readonly kind: "until_close" };

export interface AnswerHead {
  readonly status: number;
  readonly fields: Fields;
  readonly framing: AnswerFraming;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9][0-9])(?: |$)/;
const NO_BODY: AnswerFraming = Object.freeze({ kind: "none" });
const UNTIL_CLOSE: AnswerFraming = Object.freeze({ kind: "until_close" });

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/**
 * @param bytes a complete head with its empty line, from a head reader; opaque bytes become `?`
 * @param method of the request: a response to HEAD has no body, whatever its fields declare
 * @throws {Fault} `hub_refused` if `bytes` is not an HTTP response head
 */
export function parseAnswerHead(bytes: Uint8Array, decoder: Decoder, method: string): AnswerHead {
  try {
    return parse(bytes, decoder, method);
  } catch (cause) {
    throw notHttp(cause);
  }
}

/** The fault for a response that is not valid HTTP. */
export function notHttp(cause: unknown): Fault {
  const reason = cause instanceof Error ? cause.message : "";
  return new Fault("hub_refused", `The response is not valid HTTP: ${reason}`, { cause });
}

function parse(bytes: Uint8Array, decoder: Decoder, method: string): AnswerHead {
  const lineEnd = fieldValueEnd(bytes, 0);
  if (bytes[lineEnd] !== CR || bytes[lineEnd + 1] !== LF) throw badStatusLine();
  checkFieldLines(bytes, lineEnd + 2);
  const text = decoder.decode(bytes);
  const match = STATUS_LINE.exec(text.slice(0, lineEnd));
  if (!match) throw badStatusLine();
  const status = Number(match[2]);
  const fields = new Fields(text);
  return { status, fields, framing: framingOf(status, fields, match[1] === "0", method) };
}

function framingOf(status: number, fields: Fields, isHttp10: boolean, method: string): AnswerFraming {
  if (method === "HEAD" || status < 200 || status === NO_CONTENT || status === NOT_MODIFIED) return NO_BODY;
  const framing = readFraming(fields, isHttp10);
  if (framing.kind === "none" && fields.single("content-length") === undefined) return UNTIL_CLOSE;
  return framing;
}

function badStatusLine(): Fault {
  return new Fault("bad_request", "A status line must have an HTTP version and a status");
}

// Collects a response head through its empty line. A malformed head is an error of the server, not of the request.

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
   * @returns how many bytes of `chunk` belong to the head; the rest belongs to the body
   * @throws {Fault} `hub_refused`
   */
  push(chunk: Uint8Array): number {
    try {
      return this.#reader.push(chunk);
    } catch (cause) {
      throw notHttp(cause);
    }
  }

  /** Prepares for the next head, and frees memory. */
  reset(): void {
    this.#reader.reset();
  }
}
