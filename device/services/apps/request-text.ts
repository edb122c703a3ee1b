/**
 * Reads the HTTP request that an app writes as text (docs/spec/app-abi-and-quotas.md#http-request):
 *
 *     POST https://example.com/scores
 *     content-type: application/json
 *
 *     {"score":12}
 */
import type { HttpRequest } from "../../../hub-client/http-client.js";
import { parseWebAddress, type WebAddress } from "../../../hub-client/web-address.js";
import { type Decoder, LF, SPACE } from "../../../protocol/http/fields.js";

/** Of the whole text. */
export const REQUEST_LIMIT_BYTES = 4096;
/** Lines of fields. */
const FIELDS_LIMIT = 16;
const LAST_PRINTABLE = 0x7e;

const REQUEST_LINE = /^([A-Z]{1,16}) (\S+)$/;
/** A token (RFC 9110 §5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;
/** What the client itself says, and what changes the meaning of the connection. */
const OURS: readonly string[] = Object.freeze([
  ...["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade", "te", "trailer"],
]);

/** @returns `undefined` for anything but a request */
export function readRequest(text: Uint8Array, decoder: Decoder): HttpRequest | undefined {
  const headEnd = endOfHead(text);
  const lines = linesOf(text.subarray(0, headEnd), decoder);
  const [, method, address] = REQUEST_LINE.exec(lines?.[0] ?? "") ?? [];
  if (!lines || method === undefined || address === undefined || method === "CONNECT") return undefined;
  const fieldLines = fieldLinesOf(lines.slice(1));
  const to = addressOf(address);
  if (fieldLines === undefined || !to) return undefined;
  const request = { to, method, target: to.target, fields: {}, fieldLines, isSlowAccepted: true };
  // A body of its own: `text` is the caller's.
  return headEnd + 2 < text.length ? { ...request, body: text.slice(headEnd + 2) } : request;
}

/** Where the empty line begins, or the end of the text. */
function endOfHead(text: Uint8Array): number {
  for (let at = text.indexOf(LF); at >= 0; at = text.indexOf(LF, at + 1)) if (text[at + 1] === LF) return at;
  return text.length;
}

/** The lines, with at most one line feed at the end; `undefined` if they are too many or no text. */
function linesOf(head: Uint8Array, decoder: Decoder): string[] | undefined {
  let count = 0;
  for (const byte of head) if (byte === LF) count++;
  if (count > FIELDS_LIMIT + 1) return undefined;
  const last = head.at(-1) === LF ? head.length - 1 : head.length;
  try {
    return decoder.decode(head.subarray(0, last)).split("\n");
  } catch {
    return undefined; // not UTF-8
  }
}

function fieldLinesOf(lines: readonly string[]): string | undefined {
  let text = "";
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!isFieldName(name) || OURS.includes(name) || !isPrintable(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** Whether this is the name of a field, in lower case or not. */
export function isFieldName(text: string): boolean {
  return NAME.test(text);
}

function isPrintable(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < SPACE || code > LAST_PRINTABLE) return false;
  }
  return true;
}

function addressOf(text: string): WebAddress | undefined {
  try {
    return parseWebAddress(text);
  } catch {
    return undefined;
  }
}
