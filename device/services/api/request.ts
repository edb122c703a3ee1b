/**
 * The request that both framings decode bytes into, and its answer: the interface between HTTP, USB and the table
 * of endpoints. HTTP and USB know nothing of each other and nothing of any endpoint.
 */
import type { Json } from "../../../protocol/json.js";
import type { PublisherTexts } from "../../../protocol/signature/statements.js";

export type Transport = "http" | "usb";

export interface Request {
  readonly transport: Transport;
  /**
   * The request came over the cable, or with the bearer token, whether or not this build asks for one: what only
   * the console's owner may do depends on it. Read it when it is needed, since the token can be replaced.
   */
  readonly isOwner: boolean;
  /** The verb as it came, for instance `GET`. */
  readonly method: string;
  /** Percent-decoded, starting with `/`, without the query. */
  readonly path: string;
  /**
   * Decoded parameters: the query over HTTP; `params` over USB, and there `chunk` and `total` of a
   * chunked upload too, so that an endpoint finds them in the same place on both.
   */
  readonly parameters: ReadonlyMap<string, string>;
  /** Length of the body in bytes where it is known beforehand, 0 where there is none. */
  readonly bodyByteLength: number | undefined;
  /** Value of `X-Svc-Signature`, where HTTP carried one. */
  readonly signature?: string;
  /** Values of `X-Svc-Publisher-…`, where a request by POST over HTTP carried any. */
  readonly publisher?: PublisherTexts;
  /** Media type of the body without its parameters, in lower case, where HTTP carried one. */
  readonly mediaType?: string;
}

export type Answer = JsonAnswer | BinaryAnswer | StreamedAnswer;

export interface JsonAnswer {
  readonly status: number;
  readonly body: Json;
  /** Runs once the answer has been handed to the transport completely (a reboot waits for this). */
  readonly onSent?: () => void;
  /** No other request will be answered: the transport reports that where it can, and ends the connection. */
  readonly isFinal?: boolean;
}

/** Bytes of another media type: over USB they travel as base64 in the member `field` of an object. */
export interface BinaryAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly field: string;
  readonly onSent?: () => void;
}

/** The same, where the bytes are many or are only being made: they never stand in memory together. */
export interface StreamedAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly stream: ByteStream;
  /** Left out: the bytes are JSON in whole characters of UTF-8, and over USB they are the body itself. */
  readonly field?: string;
  /** How many bytes the stream has in all, where that is known beforehand. */
  readonly byteLength?: number;
  /** Further field lines of HTTP, each with its CRLF. */
  readonly fieldLines?: string;
  readonly onSent?: () => void;
}

/** Bytes that a transport asks for when it has room for more. It belongs to the transport, which closes it. */
export interface ByteStream {
  /**
   * The next bytes, valid until the next call; `undefined` once there are no more. Takes a few milliseconds at
   * the most. An error cuts the answer off where it is.
   */
  next(): Uint8Array | undefined;
  /** Comes once, after the last byte or in its stead. */
  close(): void;
}

/** One request on its way through an endpoint: the body goes in as it comes, one answer comes out. */
export interface Exchange {
  /** A body means nothing to this endpoint: the transport drops it, and refuses a long one. */
  readonly ignoresBody?: boolean;
  /** Takes the next bytes of the body; they may be reused by the caller once this returns. */
  write(bytes: Uint8Array): void;
  /** The body is complete. May be called once. */
  end(): Answer | Promise<Answer>;
  /** The body will not be completed. Neither `write` nor `end` follows. */
  abort(): void;
}

/** What a transport needs of the API. None of it throws anything but a `Fault`. */
export interface Api {
  /** @throws {Fault} for what can be refused before the body: path, verb, parameters, transport */
  open(request: Request): Exchange;
  /** Any error as an answer; one that is not a `Fault` is logged and becomes `internal_error`. */
  answerTo(error: unknown): JsonAnswer;
  /** Verbs of a path for `Allow`, `undefined` where there is nothing. */
  methodsOf(path: string, transport: Transport): readonly string[] | undefined;
  /** Whether anyone may ask this where everything else takes a token. */
  isForAnyone(method: string, path: string): boolean;
}
