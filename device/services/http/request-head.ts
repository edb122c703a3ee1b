/**
 * Parses the bytes of a head (RFC 9112 §3 to §6), or refuses them. A refused head leaves the end of its request
 * unknown: the connection must be closed.
 */
import { Fault } from "../../../protocol/fault.js";
import { CR, LF, SPACE, tokenEnd, visibleEnd } from "../../../protocol/http/characters.js";
import { checkFieldLines, Fields } from "../../../protocol/http/fields.js";
import { type Framing, readFraming } from "../../../protocol/http/framing.js";
import type { Decoder } from "../../../protocol/http/text.js";
import { type RequestTarget, resolveTarget } from "./request-target.js";

export interface RequestHead {
  readonly method: string;
  /** In origin form (`/path?query`), or `*` for `OPTIONS *`. */
  readonly target: string;
  /** The host that was addressed, in lower case; `undefined` in HTTP/1.0 only. */
  readonly host: string | undefined;
  readonly version: "1.0" | "1.1";
  readonly framing: Framing;
  /** Whether the connection is to live on afterwards, as far as the client is concerned (RFC 9112 §9.3). */
  readonly isPersistent: boolean;
  readonly fields: Fields;
}

const VERSION_FORM = /^HTTP\/[0-9]\.[0-9]$/;

/**
 * @param bytes a whole head with its empty line, as a head reader gives it; opaque bytes become `?`, names of fields
 *   lower-case
 * @throws {Fault} `bad_request`, `not_implemented` (transfer coding, CONNECT), `version_unsupported`, `head_too_large`
 */
export function parseRequestHead(bytes: Uint8Array, decoder: Decoder): RequestHead {
  const methodEnd = tokenEnd(bytes, 0);
  const targetEnd = visibleEnd(bytes, methodEnd + 1);
  const lineEnd = bytes.indexOf(CR, targetEnd);
  if (
    methodEnd === 0 ||
    bytes[methodEnd] !== SPACE ||
    targetEnd === methodEnd + 1 ||
    bytes[targetEnd] !== SPACE ||
    bytes[lineEnd + 1] !== LF
  )
    throw new Fault("bad_request", "A request line takes a method, a target and a version");
  checkFieldLines(bytes, lineEnd + 2);
  const text = decoder.decode(bytes);
  const version = readVersion(text.slice(targetEnd + 1, lineEnd));
  const method = text.slice(0, methodEnd);
  const fields = new Fields(text);
  const target = resolveTarget(method, text.slice(methodEnd + 1, targetEnd), readHost(fields, version));
  return assemble(method, target, version, fields);
}

function assemble(
  method: string,
  { target, host }: RequestTarget,
  version: "1.0" | "1.1",
  fields: Fields,
): RequestHead {
  const framing = readFraming(fields, version === "1.0");
  return { method, target, host, version, framing, isPersistent: isPersistent(fields, version), fields };
}

function readVersion(text: string): "1.0" | "1.1" {
  if (text === "HTTP/1.1") return "1.1";
  if (text === "HTTP/1.0") return "1.0";
  if (VERSION_FORM.test(text)) throw new Fault("version_unsupported", `Cannot speak ${text}, only HTTP/1.1`);
  throw new Fault("bad_request", "The request line does not end in a version of HTTP");
}

/** RFC 9112 §3.2: exactly one Host in HTTP/1.1, and never two. */
function readHost(fields: Fields, version: "1.0" | "1.1"): string | undefined {
  const host = fields.single("host");
  if (host === undefined && version === "1.1") throw new Fault("bad_request", "HTTP/1.1 requires a Host");
  return host?.toLowerCase();
}

function isPersistent(fields: Fields, version: "1.0" | "1.1"): boolean {
  if (fields.hasToken("connection", "close")) return false;
  return version === "1.1" || fields.hasToken("connection", "keep-alive");
}
