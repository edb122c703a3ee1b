/**
 * Parses the bytes of a request head (RFC 9112 §3 to §6). After an invalid head the end of the request is unknown, so
 * the connection must be closed.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import { type Framing, readFraming } from "../../../protocol/http/body-reader.js";
import {
  CR,
  checkFieldLines,
  type Decoder,
  Fields,
  HEAD_START_BYTES,
  LF,
  SPACE,
  tokenEnd,
  visibleEnd,
} from "../../../protocol/http/fields.js";

// Parses a request target (RFC 9112 §3.2) into path and parameters.

interface RequestTarget {
  /** In origin form, or `*`. */
  readonly target: string;
  readonly host: string | undefined;
}

interface PathAndParameters {
  /** Percent-decoded. */
  readonly path: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Most parameters in a query; no endpoint has half as many. Empty ones count too: as an array, 3 KiB of ampersands
 * would take a console's whole heap (docs/spec/conventions.md#parameter-count).
 */
export const PARAMETER_LIMIT = 32;

const SCHEME = "http://";
const PERCENT = 0x25;
const PLUS = 0x2b;
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

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

/**
 * The path alone, decoded, for callers that need it before the query is parsed.
 * @throws {Fault} `bad_encoding`
 */
export function pathOf(target: string): string {
  const question = target.indexOf("?");
  return decode(question < 0 ? target : target.slice(0, question));
}

/**
 * Splits and decodes a target in origin form. A `+` in the query is a space, as in forms and URLSearchParams; a plus
 * sign is `%2B`.
 * @throws {Fault} `bad_encoding` for invalid percent-encoded UTF-8, `duplicate_parameter`, `bad_request` for more than
 *   {@link PARAMETER_LIMIT} parameters
 */
export function parseTarget(target: string): PathAndParameters {
  const question = target.indexOf("?");
  if (question < 0) return { path: decode(target), parameters: NO_PARAMETERS };
  return { path: decode(target.slice(0, question)), parameters: parseQuery(target, question + 1) };
}

/** Works on slices of the target without copies of the query, which can be as long as a head. */
function parseQuery(target: string, from: number): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let start = from;
  for (let count = 0; count < PARAMETER_LIMIT; count++) {
    const ampersand = target.indexOf("&", start);
    const end = ampersand < 0 ? target.length : ampersand;
    if (end > start) addPair(parameters, target, start, end);
    if (ampersand < 0) return parameters;
    start = ampersand + 1;
  }
  throw new Fault("bad_request", `A query must have at most ${PARAMETER_LIMIT} parameters`);
}

function addPair(parameters: Map<string, string>, target: string, start: number, end: number): void {
  const equals = target.indexOf("=", start);
  const hasValue = equals >= 0 && equals < end;
  const name = decodeText(target.slice(start, hasValue ? equals : end));
  if (parameters.has(name)) throw new Fault("duplicate_parameter", `Parameter ${quoted(name)} occurs twice`);
  parameters.set(name, hasValue ? decodeText(target.slice(equals + 1, end)) : "");
}

function decodeText(text: string): string {
  return text.includes("%") || text.includes("+") ? decodeEscapes(text, true) : text;
}

function decode(text: string): string {
  return text.includes("%") ? decodeEscapes(text, false) : text;
}

/**
 * Not decodeURIComponent: that of XS accepts overlong forms, surrogates and values above U+10FFFF, so a rejected path
 * could be accepted in another spelling. Nor replaceAll: that of XS takes heap for each plus sign.
 */
function decodeEscapes(text: string, hasSpaces: boolean): string {
  const bytes = new TextEncoder().encode(text);
  if (hasSpaces)
    for (let at = bytes.indexOf(PLUS); at >= 0; at = bytes.indexOf(PLUS, at + 1)) bytes[at] = SPACE;
  try {
    const length = replaceEscapes(bytes);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length));
  } catch (cause) {
    throw new Fault("bad_encoding", `${quoted(text)} is not percent-encoded UTF-8`, { cause });
  }
}

/** Replaces each escape by its byte, in place. @returns the new length in bytes */
function replaceEscapes(bytes: Uint8Array): number {
  let at = bytes.indexOf(PERCENT);
  if (at < 0) return bytes.length;
  let length = at;
  while (at >= 0) {
    bytes[length++] = escapedByte(bytes, at);
    const start = at + 3;
    at = bytes.indexOf(PERCENT, start);
    const end = at < 0 ? bytes.length : at;
    bytes.copyWithin(length, start, end);
    length += end - start;
  }
  return length;
}

function escapedByte(bytes: Uint8Array, at: number): number {
  return 16 * digitValue(bytes[at + 1]) + digitValue(bytes[at + 2]);
}

/** Value of a hexadecimal digit. */
function digitValue(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  throw new Fault("bad_encoding", "An escape must have two hexadecimal digits");
}

export interface RequestHead {
  readonly method: string;
  /** In origin form (`/path?query`), or `*` for `OPTIONS *`. */
  readonly target: string;
  /** The requested host in lower case; `undefined` in HTTP/1.0 only. */
  readonly host: string | undefined;
  readonly version: "1.0" | "1.1";
  readonly framing: Framing;
  /** Whether the client requests a persistent connection (RFC 9112 §9.3). */
  readonly isPersistent: boolean;
  readonly fields: Fields;
}

const VERSION_FORM = /^HTTP\/[0-9]\.[0-9]$/;

/**
 * @param bytes a complete head with its empty line, from a head reader; opaque bytes become `?`, field names
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
): RequestHead {
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

// Caches the head that was read last. A client that repeats a request sends the same head, byte for byte, so its parsed
// form is cached, and values derived from it ({@link PerHead}). Entries never become stale: they depend on the bytes
// alone, and any other head replaces them.

/** Parses heads, and caches the last one. */
export class RecentHead {
  readonly #decoder: Decoder;
  /** ASCII only, so that no other bytes of the same length have this text. */
  #text = "";
  #head: RequestHead | undefined;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** The cached head if `bytes` are exactly its bytes, else `undefined`. */
  recall(bytes: Uint8Array): RequestHead | undefined {
    const isIt = bytes.length === this.#text.length && this.#decoder.decode(bytes) === this.#text;
    return isIt ? this.#head : undefined;
  }

  /**
   * @param bytes as in {@link parseRequestHead}
   * @throws {Fault} as {@link parseRequestHead}
   */
  read(bytes: Uint8Array): RequestHead {
    // A long head is decoded once, after its opaque bytes were replaced: undecoded they take three times the room.
    const text = bytes.length <= HEAD_START_BYTES ? this.#decoder.decode(bytes) : "";
    const head = parseRequestHead(bytes, this.#decoder);
    const isAscii = text.length === bytes.length && !text.includes("\ufffd");
    this.#head = isAscii ? head : undefined;
    this.#text = this.#head ? text : "";
    return head;
  }
}

/** Caches a value derived from the last head, except for long heads, which rarely repeat. */
export class PerHead<Value> {
  readonly #make: (head: RequestHead) => Value;
  #made: { readonly head: RequestHead; readonly value: Value } | undefined;

  /** @param make derives the value from the head alone */
  constructor(make: (head: RequestHead) => Value) {
    this.#make = make;
  }

  /** @throws exceptions of `make` */
  of(head: RequestHead): Value {
    if (this.#made?.head === head) return this.#made.value;
    const value = this.#make(head);
    if (head.fields.byteLength <= HEAD_START_BYTES) this.#made = { head, value };
    return value;
  }
}
