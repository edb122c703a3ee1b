/**
 * The interface between transports and endpoints: the request that HTTP and USB decode, and its answer. HTTP and USB
 * are independent of each other and of the endpoints.
 */
import type { Fault } from "../../../protocol/fault.js";
import type { Json } from "../../../protocol/json.js";
import type { PublisherTexts } from "../../../protocol/signature/statements.js";

/** `home` is the home screen, whose user holds the console: it may use what either of the others has. */
export type Transport = "http" | "usb" | "home";

/** Text, or a whole number up to `INTEGER_LIMIT` (call.ts) where the transport has numbers. */
export type ParameterValue = string | number;

export interface Request {
  readonly transport: Transport;
  /**
   * Whether the request came over the cable, from the home screen or with the bearer token, even if this build does not
   * require one. Decides what only the console's owner may do. Read it when needed, since the token can be replaced.
   */
  readonly isOwner: boolean;
  /** Why a token was not looked at, if it was not: its client has sent too many wrong ones. Read after `isOwner`. */
  readonly refusal?: Fault | undefined;
  /** Over HTTP: a HEAD, whose method is `GET` here. */
  readonly isHead?: boolean;
  /** Over HTTP, the machine that asks, or its network (`hostOf`). */
  readonly host?: string;
  /** The method as received, such as `GET`. */
  readonly method: string;
  /** Percent-decoded, starting with `/`, without the query. */
  readonly path: string;
  /**
   * Decoded parameters: the query over HTTP; `params` over USB, and there `chunk` and `total` of a
   * chunked upload too, so that an endpoint finds them in the same place on both.
   */
  readonly parameters: ReadonlyMap<string, ParameterValue>;
  /** Length of the body in bytes if known beforehand, 0 without a body. */
  readonly bodyByteLength: number | undefined;
  /** Value of `X-Svc-Signature`, over HTTP. */
  readonly signature?: string;
  /** Values of `X-Svc-Publisher-…`, in a POST over HTTP. */
  readonly publisher?: PublisherTexts;
  /** Media type of the body without its parameters, in lower case, over HTTP. */
  readonly mediaType?: string;
}

export type Answer = JsonAnswer | BinaryAnswer | StreamedAnswer;

export interface JsonAnswer {
  readonly status: number;
  readonly body: Json;
  /** Called once the transport has accepted the whole answer (a reboot waits for this). */
  readonly onSent?: () => void;
  /** Whether no further request will be answered: the transport reports it if it can, and ends the connection. */
  readonly isFinal?: boolean;
}

/** An answer that is not JSON: over USB its bytes are base64 in the member `field` of an object. */
export interface BinaryAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly field: string;
  readonly onSent?: () => void;
}

/** An answer that is long or made while it is sent: it is never in memory as a whole. */
export interface StreamedAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly stream: ByteStream;
  /** Left out if the stream is JSON, in whole UTF-8 characters: over USB it is then the body itself. */
  readonly field?: string;
  /** Length of the stream in bytes, if known beforehand. */
  readonly byteLength?: number;
  /** Further HTTP field lines, each with its CRLF. */
  readonly fieldLines?: string;
  readonly onSent?: () => void;
}

/** A stream that a transport reads when it has room for more. Owned by the transport, which closes it. */
export interface ByteStream {
  /**
   * The next bytes, valid until the next call; `undefined` at the end. Takes a few milliseconds at most. An exception
   * truncates the answer.
   */
  next(): Uint8Array | undefined;
  /** Called once, after the last byte or to cancel. */
  close(): void;
}

/** A running request at an endpoint: receives the body as it arrives, and returns one answer. */
export interface Exchange {
  /** Whether this endpoint has no body: the transport discards a short one and rejects a long one. */
  readonly ignoresBody?: boolean;
  /**
   * Set by a transport that can answer before the body is complete: the exchange has failed, though its client may not
   * have sent anything.
   */
  onFailure?: (failure: Fault) => void;
  /** Receives the next bytes of the body; the caller may reuse them afterwards. */
  write(bytes: Uint8Array): void;
  /** Called once, when the body is complete. */
  end(): Answer | Promise<Answer>;
  /** The body will not be complete. Neither `write` nor `end` follows. */
  abort(): void;
}

/** The API as transports use it. Methods throw only `Fault`s. */
export interface Api {
  /** @throws {Fault} for errors that are known before the body: path, method, parameters, transport */
  open(request: Request): Exchange;
  /** Converts an error to an answer; an error that is not a `Fault` is logged and becomes `internal_error`. */
  answerTo(error: unknown): JsonAnswer;
  /** Methods of a path for the field `Allow`; `undefined` for an unknown path. */
  methodsOf(path: string, transport: Transport): readonly string[] | undefined;
  /** Whether this request never requires a token. */
  isForPage(method: string, path: string): boolean;
}
