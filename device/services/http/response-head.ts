/**
 * Heads of responses (RFC 9112 §4). There is no Date: the console has no reliable clock
 * (RFC 9110 §6.6.1).
 */
import type { Fault } from "../../../protocol/fault.js";
import type { Encoder } from "../../../protocol/http/text.js";

export interface ResponseHead {
  readonly status: number;
  readonly mediaType: string;
  /** Further field lines, each with its CRLF. */
  readonly fieldLines: string;
}

export const JSON_TYPE = "application/json";
export const CLOSE_LINE = "connection: close\r\n";
export const KEEP_ALIVE_LINE = "connection: keep-alive\r\n";

/** The interim response that lets a waiting client send its body (RFC 9110 §10.1.1). */
export const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

const REASONS: Readonly<Record<number, string>> = Object.freeze({
  200: "OK",
  204: "No Content",
  206: "Partial Content",
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
 * A head with its empty line, in ASCII. What the API says is of the moment, and never a page.
 * @param byteLength of the body, also where it is not sent (HEAD)
 */
export function responseHead(head: ResponseHead, byteLength: number): string {
  return headText(head, `content-length: ${byteLength}\r\n`);
}

/** The same for a body whose length is not known: its end is in its chunks, or is the connection's. */
export function streamedHead(head: ResponseHead, isChunked: boolean): string {
  return headText(head, isChunked ? "transfer-encoding: chunked\r\n" : "");
}

function headText({ status, mediaType, fieldLines }: ResponseHead, framingLine: string): string {
  return `${statusLine(status)}content-type: ${mediaType}\r\n${framingLine}cache-control: no-store\r\nx-content-type-options: nosniff\r\n${fieldLines}\r\n`;
}

/** A head for a response that has no body and no length (RFC 9110 §8.6): 204. */
export function noContentHead(fieldLines: string): string {
  return `${statusLine(204)}${fieldLines}\r\n`;
}

/** What RFC 9110 wants beside an error (apart from the `Allow` of 405, which takes knowing the path). */
export function faultFieldLines({
  status,
  body,
}: {
  readonly status: number;
  readonly body?: unknown;
}): string {
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

/**
 * A whole response for a fault after which the connection is closed. For other services than HTTP.
 * @param omitsBody whether HEAD was asked, which takes no body (RFC 9110 §9.3.2)
 */
export function refusal(
  fault: Fault,
  encoder: Pick<Encoder, "encode">,
  fieldLines = "",
  omitsBody = false,
): Uint8Array {
  const { status } = fault;
  const body = fault.toBody();
  const text = JSON.stringify(body);
  const byteLength = encoder.encode(text).length;
  const lines = fieldLines + faultFieldLines({ status, body }) + CLOSE_LINE;
  const head = responseHead({ status, mediaType: JSON_TYPE, fieldLines: lines }, byteLength);
  return encoder.encode(omitsBody ? head : head + text);
}

/** What the detail `retry_after_s` of a fault says, else a second. */
function retryAfterS(body: unknown): number {
  const waitS = (body as { retry_after_s?: unknown } | undefined)?.retry_after_s;
  return typeof waitS === "number" ? waitS : 1;
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n`;
}
