/**
 * Parses the bytes of a request head (RFC 9112 §3 to §6). After an invalid head the end of the request is unknown, so
 * the connection must be closed.
 */
import { Fault, type FaultCode, quoted } from "../../../protocol/fault.js";
import { CHUNKED, type Framing, NO_BODY } from "../../../protocol/http/body-reader.js";
import {
  type Decoder,
  Fields,
  LIST_LIMIT,
  LIST_LIMIT_CHARACTERS,
  SPACE,
  VALUE_LIMIT_CHARACTERS,
} from "../../../protocol/http/fields.js";
import type { Sandbox, SandboxProgram } from "../../../protocol/ports/sandbox.js";

// Parses a request target (RFC 9112 §3.2) into path and parameters.

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

const PERCENT = 0x25;
const PLUS = 0x2b;
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

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

// Parses heads in the sandboxed program `device/sandbox/http-head`, which checks all of a head. JavaScript makes texts only
// of what a request needs. Numbers are those of the program's `layout.ts`.

/** Fields of a head. Valid until the next head is parsed. */
export interface RequestFields {
  /** The requested host in lower case; `undefined` in HTTP/1.0 only. An absolute target overrides the field. */
  readonly host: string | undefined;
  /** Whether no attacker can own the host, which can be `undefined`. */
  readonly isHostLocal: boolean;
  /** Whether the host has the form of one. */
  readonly isHostValid: boolean;
  /** As in {@link Fields.single}. */
  single(name: string): string | undefined;
  /** As in {@link Fields.list}. */
  list(name: string): string | undefined;
  /** As in {@link Fields.hasToken}. */
  hasToken(name: string, token: string): boolean;
}

export interface RequestHead {
  readonly method: string;
  /** In origin form (`/path?query`), or `*` for `OPTIONS *`. */
  readonly target: string;
  readonly version: "1.0" | "1.1";
  readonly framing: Framing;
  /** Whether the client requests a persistent connection (RFC 9112 §9.3). */
  readonly isPersistent: boolean;
  readonly fields: RequestFields;
}

/** Names that the program recognises; it reads the first four itself. All that the servers ask for are here. */
const NAMES = Object.freeze([
  ...["host", "connection", "content-length", "transfer-encoding", "origin", "authorization", "expect"],
  ...["content-type", "x-svc-signature", "x-svc-publisher-signature", "x-svc-publisher-key"],
  ...["x-svc-publisher-voucher", "x-svc-publisher-succession", "access-control-request-method"],
  ...["access-control-request-private-network", "upgrade", "sec-websocket-key", "sec-websocket-version"],
]);
const FIRST_NAME_BIT = 10;
const NAME_BITS: Readonly<Record<string, number>> = Object.freeze(
  Object.fromEntries(NAMES.map((name, index) => [name, 1 << (FIRST_NAME_BIT + index)])),
);

/** By their number in the summary. */
const METHODS: readonly string[] = Object.freeze(["", "GET", "HEAD", "POST", "OPTIONS"]);
const METHOD = 0x07;
const IS_HTTP_10 = 0x08;
const IS_PERSISTENT = 0x10;
const HAS_LENGTH = 0x20;
const IS_CHUNKED = 0x40;
const HOST_LOCAL = 0x80;
const HOST_FOREIGN = 0x100;
const LACKS_SLASH = 0x200;

// Index of each result.
const RESULT_HEAD = 0;
const RESULT_METHOD = 1;
const RESULT_TARGET = 2;
const RESULT_HOST = 3;
const RESULT_QUOTED = 4;
const RESULT_LENGTH_HIGH = 5;
const RESULT_LENGTH_LOW = 6;
const RESULT_COUNT = 7;
const LENGTH_HIGH_UNIT = 1e8;

const NOT_WHOLE = -1;

/** By the negated number of the fault. A `%` stands for the text at the position of {@link RESULT_QUOTED}, quoted. */
const FAULTS: readonly (readonly [FaultCode, string])[] = Object.freeze([
  ...Array(2).fill(["internal_error", "The head is not whole"]),
  ["bad_request", "A request line must have a method, a target and a version"],
  ["bad_request", "A field line must begin with a name and a colon"],
  ["bad_request", "A field value contains a control character"],
  ["bad_request", "A line begins with a control character"],
  ["bad_request", "The request line must end in an HTTP version"],
  ["version_unsupported", "% is not supported, only HTTP/1.1"],
  ["bad_request", 'Field "host" occurs twice'],
  ["head_too_large", `Cannot accept more than ${VALUE_LIMIT_CHARACTERS} characters in this field`],
  ["bad_request", "HTTP/1.1 requires a Host"],
  ["bad_request", "A request target must not have a fragment"],
  ["not_implemented", "Cannot open a tunnel"],
  ["bad_request", 'A request target must begin with "/" or "http://"'],
  ["bad_request", "A request target must have a host and no user"],
  ["head_too_large", `Cannot accept more than ${LIST_LIMIT_CHARACTERS} characters in this field`],
  ["bad_request", 'Field "content-length" occurs twice'],
  ["bad_request", "Content-Length and Transfer-Encoding exclude each other"],
  ["bad_request", "HTTP/1.0 has no Transfer-Encoding"],
  ["bad_request", 'Transfer-Encoding must have "chunked" once and last, not %'],
  ["not_implemented", 'Transfer-Encoding must be "chunked" only, not %'],
  ["bad_request", "Content-Length must be digits up to 2^53 - 1, not %"],
  ["head_too_large", `Cannot accept a list of more than ${LIST_LIMIT} members in a field`],
]);
const OTHER_VERSION = 7;

/** One parser for all connections of a server: it keeps the latest head only. */
export class HeadParser implements RequestFields {
  readonly #program: SandboxProgram;
  readonly #room: number;
  readonly #results: Int32Array;
  readonly #decoder: Decoder;
  #summary = 0;
  /** The latest head as text, once a field was asked for that may be in it. */
  #text: Fields | undefined;

  /** @throws {Error} when no memory is left */
  constructor(sandbox: Sandbox, encoder: { encode(text: string): Uint8Array }, decoder: Decoder) {
    this.#program = sandbox.open("http-head");
    this.#decoder = decoder;
    const { memory } = this.#program;
    this.#room = this.#program.room();
    this.#results = new Int32Array(memory.buffer, memory.byteOffset, RESULT_COUNT);
    const names = encoder.encode(`${NAMES.join(":")}:`);
    memory.set(names, this.#room);
    if (this.#program.begin(names.length, 0) !== NAMES.length) throw new Error("Cannot learn the names");
  }

  /**
   * Parse the head that `bytes` begin with, or that follows after empty lines. Opaque bytes become `?` in fields.
   * @param bytes not more than the limit of a head
   * @returns `undefined` if no whole head, or none that a head reader accepts, is there
   * @throws {Fault} `bad_request`, `not_implemented` (transfer coding, CONNECT), `version_unsupported`, `head_too_large`
   */
  parse(bytes: Uint8Array): RequestHead | undefined {
    this.#program.memory.set(bytes, this.#room);
    const summary = this.#program.feed(bytes.length);
    if (summary === NOT_WHOLE) return undefined;
    if (summary < 0) throw this.#fault(-summary);
    this.#summary = summary;
    this.#text = undefined;
    return {
      method: METHODS[summary & METHOD] || this.#textAt(RESULT_METHOD),
      target: summary & LACKS_SLASH ? `/${this.#textAt(RESULT_TARGET)}` : this.#textAt(RESULT_TARGET),
      version: summary & IS_HTTP_10 ? "1.0" : "1.1",
      framing: summary & (HAS_LENGTH | IS_CHUNKED) ? this.#framing() : NO_BODY,
      isPersistent: (summary & IS_PERSISTENT) !== 0,
      fields: this,
    };
  }

  /**
   * Parse a head from a head reader, which is whole.
   * @throws {Fault} as {@link parse}
   */
  parseWhole(bytes: Uint8Array): RequestHead {
    const head = this.parse(bytes);
    if (!head) throw this.#fault(-NOT_WHOLE);
    return head;
  }

  /** How many bytes of those that {@link parse} got belong to the head and to empty lines before it. */
  get takenBytes(): number {
    return (this.#result(RESULT_HEAD) >>> 16) - this.#room;
  }

  get host(): string | undefined {
    return this.#result(RESULT_HOST) === 0 ? undefined : this.#textAt(RESULT_HOST);
  }

  get isHostLocal(): boolean {
    return (this.#summary & HOST_FOREIGN) === 0;
  }

  get isHostValid(): boolean {
    return (this.#summary & (HOST_FOREIGN | HOST_LOCAL)) !== (HOST_FOREIGN | HOST_LOCAL);
  }

  single(name: string): string | undefined {
    return this.#mayHave(name) ? this.#fields().single(name) : undefined;
  }

  list(name: string): string | undefined {
    return this.#mayHave(name) ? this.#fields().list(name) : undefined;
  }

  hasToken(name: string, token: string): boolean {
    return this.#mayHave(name) && this.#fields().hasToken(name, token);
  }

  close(): void {
    this.#program.close();
  }

  #mayHave(name: string): boolean {
    const bit = NAME_BITS[name];
    return bit === undefined || (this.#summary & bit) !== 0;
  }

  #fields(): Fields {
    this.#text ??= new Fields(this.#textAt(RESULT_HEAD));
    return this.#text;
  }

  #framing(): Framing {
    if (this.#summary & IS_CHUNKED) return CHUNKED;
    const high = this.#result(RESULT_LENGTH_HIGH);
    return { kind: "length", byteLength: high * LENGTH_HIGH_UNIT + this.#result(RESULT_LENGTH_LOW) };
  }

  #fault(index: number): Fault {
    const [code, message] = FAULTS[index] ?? ["internal_error", "The head cannot be parsed"];
    if (!message.includes("%")) return new Fault(code, message);
    const text = this.#textAt(RESULT_QUOTED);
    return new Fault(
      code,
      message.replace("%", () => (index === OTHER_VERSION ? text : quoted(text))),
    );
  }

  #result(index: number): number {
    return this.#results[index] as number;
  }

  #textAt(index: number): string {
    const position = this.#result(index);
    return this.#decoder.decode(this.#program.memory.subarray(position & 0xffff, position >>> 16));
  }
}
