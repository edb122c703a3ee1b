/**
 * The parser of request heads in TypeScript that consoles had before the program `device/sandbox/http-head`, which must
 * give the same heads and faults.
 */
import { Fault } from "../../../protocol/fault.js";
import { type Framing, readFraming } from "../../../protocol/http/body-reader.js";
import {
  CR,
  checkFieldLines,
  type Decoder,
  Fields,
  LF,
  SPACE,
  tokenEnd,
  visibleEnd,
} from "../../../protocol/http/fields.js";

export interface ReferenceHead {
  readonly method: string;
  /** In origin form (`/path?query`), or `*` for `OPTIONS *`. */
  readonly target: string;
  /** The requested host in lower case; `undefined` in HTTP/1.0 only. */
  readonly host: string | undefined;
  readonly version: "1.0" | "1.1";
  readonly framing: Framing;
  readonly isPersistent: boolean;
  readonly fields: Fields;
}

const SCHEME = "http://";

interface RequestTarget {
  /** In origin form, or `*`. */
  readonly target: string;
  readonly host: string | undefined;
}

/**
 * Converts any form of target to origin form.
 * @param host value of the field Host; an absolute target overrides it (RFC 9112 §3.2.2)
 * @throws {Fault} `bad_request`, `not_implemented` for CONNECT
 */
function resolveTarget(method: string, target: string, host: string | undefined): RequestTarget {
  if (target.includes("#")) throw new Fault("bad_request", "A request target must not have a fragment");
  if (method === "CONNECT") throw new Fault("not_implemented", "Cannot open a tunnel");
  if (target.startsWith("/")) return { target, host };
  if (target === "*" && method === "OPTIONS") return { target, host };
  if (target.slice(0, SCHEME.length).toLowerCase() === SCHEME)
    return fromAbsolute(target.slice(SCHEME.length));
  throw new Fault("bad_request", 'A request target must begin with "/" or "http://"');
}

function fromAbsolute(rest: string): RequestTarget {
  const end = authorityEnd(rest);
  const host = (end < 0 ? rest : rest.slice(0, end)).toLowerCase();
  if (host === "" || host.includes("@"))
    throw new Fault("bad_request", "A request target must have a host and no user");
  const path = end < 0 ? "" : rest.slice(end);
  return { target: path.startsWith("/") ? path : `/${path}`, host };
}

/** Start of the path or query, -1 without either. */
function authorityEnd(rest: string): number {
  const slash = rest.indexOf("/");
  const question = rest.indexOf("?");
  return slash < 0 || (question >= 0 && question < slash) ? question : slash;
}

const VERSION_FORM = /^HTTP\/[0-9]\.[0-9]$/;

/**
 * @param bytes a complete head with its empty line, from a head reader; opaque bytes become `?`, field names
 *   lower-case
 * @throws {Fault} `bad_request`, `not_implemented` (transfer coding, CONNECT), `version_unsupported`, `head_too_large`
 */
export function parseReference(bytes: Uint8Array, decoder: Decoder): ReferenceHead {
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
    throw new Fault("bad_request", "A request line must have a method, a target and a version");
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
): ReferenceHead {
  const framing = readFraming(fields, version === "1.0");
  return { method, target, host, version, framing, isPersistent: isPersistent(fields, version), fields };
}

function readVersion(text: string): "1.0" | "1.1" {
  if (text === "HTTP/1.1") return "1.1";
  if (text === "HTTP/1.0") return "1.0";
  if (VERSION_FORM.test(text))
    throw new Fault("version_unsupported", `${text} is not supported, only HTTP/1.1`);
  throw new Fault("bad_request", "The request line must end in an HTTP version");
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
