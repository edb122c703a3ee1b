/**
 * Encodes and sends responses: heads, small bodies from a shared buffer, streamed bodies, and rejections without
 * memory.
 */

import type { Fault } from "../../../protocol/fault.js";
import type { Encoder } from "../../../protocol/http/fields.js";
import type { Tcp, TcpSocket } from "../../../protocol/ports/network.js";
import { Pacer, type PacerOptions } from "../api/pacer.js";
import type { Answer, ByteStream, StreamedAnswer } from "../api/request.js";
import { shortOfMemory } from "../heap/heap-admission.js";
import type { RequestHead } from "./request-head.js";

/** Answers up to this size, head included, are assembled in one buffer that all connections share. */
const ANSWER_BUFFER_BYTES = 2048;

/** Part of the buffer for the head, which is written last. */
const ANSWER_HEAD_BYTES = 512;

// Rejects connections for lack of memory, with a response prepared at the start, on a bare socket. Does not read the
// client's request.

/**
 * Rejections in progress at a time; more are closed without a response, those of an address with several first
 * (docs/spec/memory.md#refused-work).
 */
const REFUSALS_LIMIT = 4;

export class MemoryRefusal {
  readonly #Socket: Tcp["Socket"];
  readonly #bytes: Uint8Array;
  /** Sockets with a rejection in progress, and their addresses; oldest first. */
  readonly #refused = new Map<TcpSocket, string | undefined>();

  constructor(Socket: Tcp["Socket"], encoder: Pick<Encoder, "encode">) {
    this.#Socket = Socket;
    this.#bytes = refusal(shortOfMemory(), encoder);
  }

  /** @param from an accepted connection, owned by this object from now on */
  refuse(from: TcpSocket): void {
    const address = from.remoteAddress;
    if (this.#refused.size >= REFUSALS_LIMIT && !this.#dropFromCrowdedAddress()) {
      from.close();
      return;
    }
    const end = () => {
      this.#refused.delete(socket);
      socket.close();
    };
    const socket: TcpSocket = new this.#Socket({
      from,
      onWritable: () => {
        try {
          socket.write(this.#bytes);
        } catch {
          // The client has disconnected.
        }
        end();
      },
      onError: end,
      onBroken: end,
    });
    this.#refused.set(socket, address);
  }

  /** Closes the oldest rejection of an address with several. @returns whether there was one */
  #dropFromCrowdedAddress(): boolean {
    const addresses = [...this.#refused.values()];
    for (const [socket, address] of this.#refused) {
      if (addresses.indexOf(address) === addresses.lastIndexOf(address)) continue;
      this.#refused.delete(socket);
      socket.close();
      return true;
    }
    return false;
  }

  /** Closes connections whose rejection has not been sent. */
  close(): void {
    for (const socket of this.#refused.keys()) socket.close();
    this.#refused.clear();
  }
}

// Heads of responses (RFC 9112 §4). There is no Date: the console has no reliable clock
// (RFC 9110 §6.6.1).

interface ResponseHead {
  readonly status: number;
  readonly mediaType: string;
  /** Further field lines, each with its CRLF. */
  readonly fieldLines: string;
}

const JSON_TYPE = "application/json";
/** What a page of another site could embed; the page itself is kept out of frames. */
const EMBEDDED = /^(?:image|audio)\/|javascript/;
/** Fetch standard, Cross-Origin-Resource-Policy. */
const OWN_PAGES_LINE = "cross-origin-resource-policy: same-origin\r\n";
const CLOSE_LINE = "connection: close\r\n";
const KEEP_ALIVE_LINE = "connection: keep-alive\r\n";

/** The interim response that lets a waiting client send its body (RFC 9110 §10.1.1). */
export const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

const REASONS: Readonly<Record<number, string>> = Object.freeze({
  200: "OK",
  204: "No Content",
  206: "Partial Content",
  302: "Found",
  303: "See Other",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  411: "Length Required",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  422: "Unprocessable Content",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
  507: "Insufficient Storage",
});

/**
 * A head with its empty line, in ASCII. API answers are not cached and never rendered as a page.
 * @param byteLength of the body, even if it is not sent (HEAD)
 */
function responseHead(head: ResponseHead, byteLength: number): string {
  return headText(head, `content-length: ${byteLength}\r\n`);
}

/** A head for a body of unknown length, which is chunked or ends with the connection. */
function streamedHead(head: ResponseHead, isChunked: boolean): string {
  return headText(head, isChunked ? "transfer-encoding: chunked\r\n" : "");
}

function headText({ status, mediaType, fieldLines }: ResponseHead, framingLine: string): string {
  const policyLine = EMBEDDED.test(mediaType) ? OWN_PAGES_LINE : "";
  return `${statusLine(status)}content-type: ${mediaType}\r\n${framingLine}cache-control: no-store\r\nx-content-type-options: nosniff\r\n${policyLine}${fieldLines}\r\n`;
}

/** A head for a response without body and length (RFC 9110 §8.6): 204. */
function noContentHead(fieldLines: string): string {
  return `${statusLine(204)}${fieldLines}\r\n`;
}

/** Fields that RFC 9110 requires with an error (except `Allow` of 405, which depends on the path). */
function faultFieldLines({ status, body }: { readonly status: number; readonly body?: unknown }): string {
  switch (status) {
    case 401: // §11.6.1
      return "www-authenticate: Bearer\r\n";
    case 429:
    case 503: // §10.2.3
      return `retry-after: ${retryAfterS(body)}\r\n`;
    default:
      return "";
  }
}

/** A complete response for a fault without a request, after which the connection is closed. */
function refusal(fault: Fault, encoder: Pick<Encoder, "encode">): Uint8Array {
  const { status } = fault;
  const body = fault.toBody();
  const text = JSON.stringify(body);
  const byteLength = encoder.encode(text).length;
  const fieldLines = faultFieldLines({ status, body }) + CLOSE_LINE;
  return encoder.encode(responseHead({ status, mediaType: JSON_TYPE, fieldLines }, byteLength) + text);
}

/** The detail `retry_after_s` of a fault; default one second. */
function retryAfterS(body: unknown): number {
  const waitS = (body as { retry_after_s?: unknown } | undefined)?.retry_after_s;
  return typeof waitS === "number" ? waitS : 1;
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n`;
}

// The properties of a request on which its response depends.

interface AnswerOptions {
  /** Whether the method is HEAD: the response declares the length of a body but has none (RFC 9110 §9.3.2). */
  readonly omitsBody: boolean;
  /** Whether the connection ends with this response. */
  readonly isLast: boolean;
  /** Whether the client supports chunked bodies, unlike HTTP/1.0 (RFC 9112 §6.1). */
  readonly takesChunks: boolean;
  /** Field lines that depend on the request, including `connection`. */
  readonly fieldLines: string;
}

/** For a response without a readable request. */
export const UNASKED: AnswerOptions = Object.freeze({
  omitsBody: false,
  isLast: true,
  takesChunks: false,
  fieldLines: CLOSE_LINE,
});

/** RFC 9112 §9.3: connections persist by default in HTTP/1.1, and on request in HTTP/1.0. */
export function answerOptions(head: RequestHead, fieldLines: string): AnswerOptions {
  const { isPersistent, method, version } = head;
  const connectionLine = isPersistent ? (version === "1.0" ? KEEP_ALIVE_LINE : "") : CLOSE_LINE;
  return {
    omitsBody: method === "HEAD",
    isLast: !isPersistent,
    takesChunks: version !== "1.0",
    fieldLines: fieldLines + connectionLine,
  };
}

/** The same options for a response that ends the connection. */
export function asLast(options: AnswerOptions): AnswerOptions {
  if (options.isLast) return options;
  return {
    ...options,
    isLast: true,
    fieldLines: options.fieldLines.replace(KEEP_ALIVE_LINE, "") + CLOSE_LINE,
  };
}

// Encodes answers. Assembles a small answer in one shared buffer, body first, since the head contains the length of the
// body: it is sent in one write and allocates nothing. The next answer reuses the head if kind and length are the same.
//
//   |<-- ANSWER_HEAD_BYTES -->|
//   |          head           | body      |
//              ^ right-aligned

/** Where answers go: the part of an `Outbox` that does not know its socket. */
export interface Output {
  /** Whether everything has been written to the socket. */
  readonly isEmpty: boolean;
  /** `bytes` are reused by the caller afterwards. Throws once the socket accepts nothing more. */
  send(bytes: Uint8Array): void;
  /** `bytes` stay unchanged. Throws like {@link send}. */
  sendKept(bytes: Uint8Array): void;
}

export class AnswerEncoder {
  readonly #encoder: Encoder;
  readonly #bytes = new Uint8Array(ANSWER_BUFFER_BYTES);
  readonly #body = this.#bytes.subarray(ANSWER_HEAD_BYTES);
  /** The head in the buffer, and its start. */
  #head: ResponseHead | undefined;
  #byteLength = 0;
  #start = ANSWER_HEAD_BYTES;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** Passes the whole answer to `sink`, or only the head if the body is streamed. */
  encode(answer: Answer, options: AnswerOptions, sink: Output): void {
    const { status } = answer;
    const fieldLines = status < 400 ? options.fieldLines : options.fieldLines + faultFieldLines(answer);
    if (status === 204) sink.send(this.#encoder.encode(noContentHead(fieldLines)));
    else if ("stream" in answer)
      sink.send(this.#encoder.encode(headOfStream(answer, fieldLines, options.takesChunks)));
    else if ("bytes" in answer) {
      const head = { status, mediaType: answer.mediaType, fieldLines };
      this.#encodeKept(head, answer.bytes, options.omitsBody, sink);
    } else {
      const head = { status, mediaType: JSON_TYPE, fieldLines };
      this.#encodeText(head, JSON.stringify(answer.body), options.omitsBody, sink);
    }
  }

  #encodeText(head: ResponseHead, text: string, omitsBody: boolean, sink: Output): void {
    const bytes = this.#encodeSmall(head, text, omitsBody);
    if (bytes) sink.send(bytes);
    else this.#encodeKept(head, this.#encoder.encode(text), omitsBody, sink);
  }

  /** The answer in the shared buffer, `undefined` if it is too large. */
  #encodeSmall(head: ResponseHead, text: string, omitsBody: boolean): Uint8Array | undefined {
    // UTF-8 has at least one byte per unit, so a longer text never fits.
    if (text.length > this.#body.length) return undefined;
    const { read, written } = this.#encoder.encodeInto(text, this.#body);
    if (read < text.length || !this.#putHead(head, written)) return undefined;
    return this.#bytes.subarray(this.#start, ANSWER_HEAD_BYTES + (omitsBody ? 0 : written));
  }

  /** @returns whether the head fits */
  #putHead(head: ResponseHead, byteLength: number): boolean {
    if (this.#head && isSame(this.#head, head) && this.#byteLength === byteLength) return true;
    const text = responseHead(head, byteLength);
    if (text.length > ANSWER_HEAD_BYTES) return false;
    this.#head = head;
    this.#byteLength = byteLength;
    this.#start = ANSWER_HEAD_BYTES - text.length;
    this.#encoder.encodeInto(text, this.#bytes.subarray(this.#start, ANSWER_HEAD_BYTES));
    return true;
  }

  #encodeKept(head: ResponseHead, body: Uint8Array, omitsBody: boolean, sink: Output): void {
    sink.send(this.#encoder.encode(responseHead(head, body.length)));
    if (!omitsBody) sink.sendKept(body);
  }
}

function headOfStream(answer: StreamedAnswer, fieldLines: string, isChunked: boolean): string {
  const { status, mediaType, byteLength } = answer;
  const head = { status, mediaType, fieldLines: fieldLines + (answer.fieldLines ?? "") };
  return byteLength === undefined ? streamedHead(head, isChunked) : responseHead(head, byteLength);
}

function isSame(one: ResponseHead, other: ResponseHead): boolean {
  return (
    one.status === other.status && one.mediaType === other.mediaType && one.fieldLines === other.fieldLines
  );
}

interface StreamedBodyOptions extends PacerOptions {
  readonly isChunked: boolean;
  readonly encoder: Pick<Encoder, "encode">;
  readonly output: Output;
  /** The stream failed: its end will never be sent. */
  onFailure(error: unknown): void;
}

// Sends a body that is produced as the socket accepts it: in chunks (RFC 9112 §7.1), or unchanged if the head declares
// its length or the connection ends it. Reads the stream only after the previous part was sent, so that a slow client
// costs no more memory than the stream itself.
export class StreamedBody {
  readonly #stream: ByteStream;
  readonly #options: StreamedBodyOptions;
  readonly #pacer: Pacer;
  /** End of the previous chunk, which is sent with the head of the next. */
  #chunkEnd = "";
  #isComplete = false;
  #isClosed = false;

  /** @param stream owned by this object from now on */
  constructor(stream: ByteStream, options: StreamedBodyOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#pacer = new Pacer(options);
  }

  /** Whether everything is in the output. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Sends while the output is empty. Rethrows exceptions of the socket. */
  advance(): void {
    this.#pacer.run(() => this.#sendNext());
  }

  /** May be called twice. */
  close(): void {
    this.#pacer.stop();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.close();
  }

  /** @returns whether there is room for more */
  #sendNext(): boolean {
    if (this.#isClosed || !this.#options.output.isEmpty) return false;
    const bytes = this.#next();
    if (this.#isClosed) return false;
    if (bytes) this.#sendPiece(bytes);
    else this.#end();
    return true;
  }

  #next(): Uint8Array | undefined {
    try {
      return this.#stream.next();
    } catch (error) {
      this.close();
      this.#options.onFailure(error);
      return undefined;
    }
  }

  #sendPiece(bytes: Uint8Array): void {
    if (bytes.length === 0) return; // an empty chunk would end the body
    if (this.#options.isChunked) this.#sendText(`${this.#chunkEnd}${bytes.length.toString(16)}\r\n`);
    this.#chunkEnd = "\r\n";
    this.#options.output.sendKept(bytes);
  }

  #end(): void {
    this.#isComplete = true;
    this.close();
    if (this.#options.isChunked) this.#sendText(`${this.#chunkEnd}0\r\n\r\n`);
  }

  #sendText(text: string): void {
    this.#options.output.send(this.#options.encoder.encode(text));
  }
}
