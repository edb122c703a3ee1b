/**
 * Reads the body of an HTTP message: determines the framing from the head (RFC 9112 §6), then reads a body with
 * Content-Length or a chunked one (RFC 9112 §7.1).
 */
import { Fault, quoted } from "../fault.js";
import { COLON, CR, type Fields, findMember, isControl, isTokenByte, LF, SEMICOLON } from "./fields.js";

/** Extensions of one chunk; they are ignored. */
const CHUNK_EXTENSION_LIMIT_BYTES = 128;

/** All extensions and trailers of one chunked body together; they are discarded. */
const CHUNK_OVERHEAD_LIMIT_BYTES = 1024;

// Framing (RFC 9112 §6). If two programs disagree on the length of a body, the same bytes are different requests to
// them (request smuggling). So nothing is guessed: one length in digits, or `chunked` alone, or no body.

export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly byteLength: number }
  | { readonly kind: "chunked" };

/** Framing of a message that has a body. */
export type BodyFraming = Exclude<Framing, { readonly kind: "none" }>;

export const NO_BODY: Framing = Object.freeze({ kind: "none" });
export const CHUNKED: Framing = Object.freeze({ kind: "chunked" });

/** Digits of 2^53 - 1. */
const LENGTH_LIMIT_DIGITS = 16;
const DIGITS = /^[0-9]+$/;

/**
 * Determine the framing of the body.
 * @param isHttp10 whether the message is HTTP/1.0, which has no transfer codings
 * @throws {Fault} `bad_request`, or `not_implemented` for a transfer coding other than chunked, or
 *   `head_too_large`; after any of them the end of the message is unknown, so close the connection
 */
export function readFraming(fields: Fields, isHttp10: boolean): Framing {
  const coding = fields.list("transfer-encoding")?.toLowerCase();
  const length = fields.single("content-length");
  if (coding === undefined) return length === undefined ? NO_BODY : byLength(length);
  // RFC 9112 §6.1, §6.3: both together are request smuggling or an error.
  if (length !== undefined)
    throw new Fault("bad_request", "Content-Length and Transfer-Encoding exclude each other");
  if (isHttp10) throw new Fault("bad_request", "HTTP/1.0 has no Transfer-Encoding");
  if (coding !== "chunked") throw badCoding(coding);
  return CHUNKED;
}

function byLength(text: string): Framing {
  if (text === "0") return NO_BODY;
  const byteLength = text.length <= LENGTH_LIMIT_DIGITS && DIGITS.test(text) ? Number(text) : Number.NaN;
  if (!(byteLength <= Number.MAX_SAFE_INTEGER))
    throw new Fault("bad_request", `Content-Length must be digits up to 2^53 - 1, not ${quoted(text)}`);
  return byteLength === 0 ? NO_BODY : { kind: "length", byteLength };
}

/** Fault for a list (in lower case) other than `chunked`: bad syntax if no coding could make it valid. */
function badCoding(list: string): Fault {
  const chunked = findMember(list, "chunked");
  const isFollowed = chunked >= 0 && list.indexOf(",", chunked) >= 0;
  if (isFollowed || findMember(list, "") >= 0)
    return new Fault(
      "bad_request",
      `Transfer-Encoding must have "chunked" once and last, not ${quoted(list)}`,
    );
  return new Fault("not_implemented", `Transfer-Encoding must be "chunked" only, not ${quoted(list)}`);
}

// Strict reader of the chunked coding (RFC 9112 §7.1). Sizes are hexadecimal digits only, lines end in CRLF, and
// extensions and trailers are checked, bounded and dropped. A space after a size is rejected.
//
//   size --;--> extension --CR--+
//     |CR                       v
//     +---------------------> size LF --size > 0--> data --all--> data CR -> data LF -> size
//                               |size 0
//                               v
//       +------------------> trailer --CR--> last LF -> complete
//       |                       |name
//     trailer LF <--CR-- value <-- :
//
// Content is passed on in spans; only sizes, extensions and trailers are scanned byte by byte.

// The state is a small integer, not an object, because it changes per byte.
const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const TRAILER = 6;
const TRAILER_NAME = 7;
const TRAILER_VALUE = 8;
const TRAILER_LF = 9;
const LAST_LF = 10;
const COMPLETE = 11;

const HEXADECIMAL = "0123456789abcdef";
const SIZE_LIMIT_DIGITS = 16;
/** chunk-ext of RFC 9112 §7.1.1 without the "bad whitespace" (BWS). */
const EXTENSION_FORM =
  /^(?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\]|\\.)*"))?)+$/;

export class ChunkedBody implements BodyReader {
  #state = SIZE;
  /** Size of the chunk as its digits are read, then the bytes left in it. */
  #remaining = 0;
  #digits = 0;
  #extension = "";
  /** Bytes of extensions and trailers. */
  #overheadBytes = 0;

  get isComplete(): boolean {
    return this.#state === COMPLETE;
  }

  push(chunk: Uint8Array, sink: BodySink): number {
    let at = 0;
    while (at < chunk.length && this.#state !== COMPLETE) {
      if (this.#state === DATA) at += this.#pass(chunk, at, sink);
      else this.#state = this.#afterByte(chunk[at++] as number);
    }
    return at;
  }

  #pass(chunk: Uint8Array, from: number, sink: BodySink): number {
    const content = chunk.subarray(from, Math.min(chunk.length, from + this.#remaining));
    this.#remaining -= content.length;
    if (this.#remaining === 0) this.#state = DATA_CR;
    sink.write(content);
    return content.length;
  }

  /** The state after a byte outside of content. */
  #afterByte(byte: number): number {
    switch (this.#state) {
      case SIZE:
        return this.#afterSizeByte(byte);
      case EXTENSION:
        return byte === CR ? this.#endExtension() : this.#addToExtension(byte);
      case SIZE_LF:
        return expect(LF, byte, this.#remaining > 0 ? DATA : TRAILER);
      case DATA_CR:
        return expect(CR, byte, DATA_LF);
      case DATA_LF:
        this.#digits = 0;
        return expect(LF, byte, SIZE);
      default:
        return this.#afterTrailerByte(byte);
    }
  }

  #afterSizeByte(byte: number): number {
    // Setting this bit lower-cases letters and keeps digits; no other byte from 0x30 on becomes a digit.
    const digit = byte >= 0x30 ? HEXADECIMAL.indexOf(String.fromCharCode(byte | 0x20)) : -1;
    if (digit >= 0) return this.#addDigit(digit);
    if (this.#digits === 0) throw badChunk("a chunk begins with its size");
    if (byte === CR) return SIZE_LF;
    if (byte !== SEMICOLON) throw badChunk("a chunk size is hexadecimal digits");
    this.#extension = "";
    return this.#addToExtension(byte);
  }

  #addToExtension(byte: number): number {
    this.#drop(byte);
    this.#extension += String.fromCharCode(byte);
    if (this.#extension.length > CHUNK_EXTENSION_LIMIT_BYTES) throw badChunk("an extension is too long");
    return EXTENSION;
  }

  #endExtension(): number {
    if (!EXTENSION_FORM.test(this.#extension)) throw badChunk("an extension is a name and perhaps a value");
    return SIZE_LF;
  }

  #addDigit(digit: number): number {
    this.#remaining = this.#remaining * 16 + digit;
    if (++this.#digits > SIZE_LIMIT_DIGITS || this.#remaining > Number.MAX_SAFE_INTEGER)
      throw badChunk("a chunk size is at most 2^53 - 1, in at most 16 digits");
    return SIZE;
  }

  #afterTrailerByte(byte: number): number {
    switch (this.#state) {
      case TRAILER:
        return byte === CR ? LAST_LF : this.#dropTrailerName(byte);
      case TRAILER_NAME:
        return byte === COLON ? TRAILER_VALUE : this.#dropTrailerName(byte);
      case TRAILER_VALUE:
        return byte === CR ? TRAILER_LF : this.#drop(byte);
      case TRAILER_LF:
        return expect(LF, byte, TRAILER);
      default:
        return expect(LF, byte, COMPLETE);
    }
  }

  #dropTrailerName(byte: number): number {
    if (!isTokenByte(byte)) throw badChunk("a trailer takes a name and a colon right after it");
    this.#drop(byte);
    return TRAILER_NAME;
  }

  /** Check and count a byte of an extension or trailer, and discard it. @returns the unchanged state */
  #drop(byte: number): number {
    if (isControl(byte)) throw badChunk("an extension or trailer holds a control character");
    if (++this.#overheadBytes > CHUNK_OVERHEAD_LIMIT_BYTES)
      throw badChunk("extensions and trailers are too long");
    return this.#state;
  }
}

function expect(wanted: number, byte: number, next: number): number {
  if (byte !== wanted) throw badChunk("a line or a chunk does not end in CRLF");
  return next;
}

function badChunk(reason: string): Fault {
  return new Fault("bad_request", `Cannot read the chunked body: ${reason}`);
}

export interface BodySink {
  /** Receives content. Must copy what it keeps: the bytes are reused after it returns. Must not throw. */
  write(bytes: Uint8Array): void;
}

export interface BodyReader {
  readonly isComplete: boolean;
  /**
   * Consume the part of `chunk` that belongs to the body, and pass its content to `sink`.
   * @returns how many bytes of `chunk` were consumed
   * @throws {Fault} `bad_request` for invalid framing: the end of the body is then unknown
   */
  push(chunk: Uint8Array, sink: BodySink): number;
}

export function bodyReader(framing: BodyFraming): BodyReader {
  return framing.kind === "chunked" ? new ChunkedBody() : new LengthBody(framing.byteLength);
}

/** A body with Content-Length (RFC 9112 §6.2). */
class LengthBody implements BodyReader {
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
