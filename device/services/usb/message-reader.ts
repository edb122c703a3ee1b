/**
 * Parses a line into a request, or into a fault and the id to answer it with (docs/spec/usb.md#bad-line). A line
 * over 1024 bytes is a request only if it carries a chunk.
 */

import { Fault } from "../../../protocol/fault.js";
import { type Json, JsonReader } from "../../../protocol/json.js";
import { CHUNK_LINE_LIMIT_BYTES, LINE_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import type { Request } from "../api/request.js";
import { parseTarget } from "../http/request-head.js";
import type { Line } from "./line-reader.js";

/**
 * Values in a request, of any kind and at whatever depth: one with every member and a dozen parameters has 24. A line
 * of 5 KiB can hold 2,500 of them, which as values of XS are larger than its heap (docs/spec/usb.md#request-values).
 */
const REQUEST_VALUES_LIMIT = 80;

/**
 * Finds the id of a request that cannot be parsed as a whole, because its line is too long or is not JSON. Scans the
 * line loosely, far enough to distinguish members of the outermost object from text and deeper levels; an id counts
 * when its number has visibly ended.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;

const KEY = '"id"';
/** Digits of 2^53, a sign, and some spaces. */
const VALUE_LIMIT_BYTES = 32;
const VALUE = /^[ \t]*:[ \t]*(-?(?:0|[1-9][0-9]{0,15}))[ \t]*[,}]/;

/** @returns `null` where no integer is named `id` in the outermost object */
export function readableId(line: Uint8Array): number | null {
  let depth = 0;
  let isKeyNext = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] as number;
    if (depth === 0 && byte > SPACE && byte !== 0x7b) return null;
    if (byte === QUOTE) {
      const end = stringEnd(line, at);
      if (isKeyNext && asText(line, at, end) === KEY)
        return integerIn(asText(line, end, end + VALUE_LIMIT_BYTES));
      at = end - 1;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (byte > SPACE) isKeyNext = depth === 1 && (byte === COMMA || byte === 0x7b);
  }
  return null;
}

/** Behind the closing quote, or where the line ends. */
function stringEnd(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** One character a byte, for any bytes. At most as long as the longest text looked for. */
function asText(line: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...line.subarray(start, Math.min(end, start + VALUE_LIMIT_BYTES)));
}

function integerIn(text: string): number | null {
  const digits = VALUE.exec(text)?.[1];
  const id = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}

// A line with a chunk is nearly all base64, and a JSON parser would read each of its characters several times. So the
// data is cut out of the line first, and decoded by itself; a short line with empty data remains:
//
//     {"jsonrpc":"2.0",…,"data":"AAECAwQF…"}   the line
//     |<-- head -->|          |<-- tail -->|   where quotes are looked for
//     {"jsonrpc":"2.0",…,"data":""}            its envelope
//
// That is the same line, parsed the same way, because the cut is made only where the line is unambiguous: the cut part
// is base64 between two quotes, so it holds neither a quote nor an escape, and the rest holds no escape and names no
// other data. Any other line stays unchanged.

interface ChunkLine {
  /** The line without its data: a view of it, in which the bytes were moved together. */
  readonly envelope: Uint8Array;
  readonly data: Uint8Array;
}

/** Where data begins: behind a few short members, and perhaps a signature. */
const HEAD_BYTES = 384;
/** Where it ends: it is the last member mostly. */
const TAIL_BYTES = 64;
const MEMBER = '"data"';
const CHUNK_OPENING = `${MEMBER}:"`;

class ChunkLineReader {
  readonly #base64: Base64;
  // Not fatal: what is not UTF-8 has another length than its text, or is refused with the envelope.
  readonly #decoder = new TextDecoder();

  constructor(base64: Base64) {
    this.#base64 = base64;
  }

  /** @returns `undefined` for a line to read as it is, which is not changed */
  read(line: Uint8Array): ChunkLine | undefined {
    const head = this.#textOf(line, 0, HEAD_BYTES);
    const opening = head?.indexOf(CHUNK_OPENING) ?? -1;
    if (!head || opening < 0) return undefined;
    const start = opening + CHUNK_OPENING.length;
    const tailStart = Math.max(start, line.length - TAIL_BYTES);
    const tail = this.#textOf(line, tailStart, line.length);
    const closing = tail?.indexOf('"') ?? -1;
    if (!tail || closing < 0 || !isPlain(head.slice(0, opening)) || !isPlain(tail)) return undefined;
    return this.#cut(line, start, tailStart + closing);
  }

  #cut(line: Uint8Array, start: number, end: number): ChunkLine | undefined {
    const data = this.#decode(this.#decoder.decode(line.subarray(start, end)));
    if (!data) return undefined;
    line.copyWithin(start, end);
    return { envelope: line.subarray(0, line.length - (end - start)), data };
  }

  #decode(text: string): Uint8Array | undefined {
    try {
      return new Uint8Array(this.#base64.decode(text));
    } catch {
      return undefined; // the parser of the whole line reports what is wrong with it
    }
  }

  /** The text of some bytes; `undefined` where it has another character at a position than they have a byte. */
  #textOf(line: Uint8Array, start: number, end: number): string | undefined {
    const bytes = line.subarray(start, end);
    const text = this.#decoder.decode(bytes);
    return text.length === bytes.length ? text : undefined;
  }
}

function isPlain(text: string): boolean {
  return !text.includes("\\") && !text.includes(MEMBER);
}

// A request in JSON (docs/spec/usb.md#request), and its API call. The parameters of a request are those of the path's
// query, of `params`, and of a chunk; a parameter that is named twice is refused, as over HTTP.

type JsonObject = { readonly [name: string]: Json | undefined };

/** Members of a request (docs/spec/usb.md#request). */
const REQUEST_MEMBERS: readonly string[] = Object.freeze([
  ...["jsonrpc", "id", "method", "path", "params"],
  ...["chunk", "total", "data"],
]);

interface RequestWithBody {
  readonly request: Request;
  /** The bytes of a chunk. */
  readonly body: Uint8Array | undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id to answer with: an integer, or `null` where there is none. */
function idOf(object: JsonObject): number | null {
  return isInteger(object["id"]) ? object["id"] : null;
}

/** Whether the object carries all that makes a chunk, which lets its line be longer. */
function isChunk(object: JsonObject): boolean {
  return object["chunk"] !== undefined && object["total"] !== undefined && object["data"] !== undefined;
}

/**
 * @param parameterNames members of `params` that mean something; others are ignored
 * @param taken the bytes of a chunk, where they were taken out of `object`, whose data is then empty
 * @throws {Fault} `bad_request` for what is not a request, `bad_parameter`, `duplicate_parameter`,
 *   `bad_encoding` for data that is not base64 and paths that are not percent-encoded UTF-8
 */
function readRequest(
  object: JsonObject,
  parameterNames: readonly string[],
  base64: Base64,
  taken?: Uint8Array,
): RequestWithBody {
  const { jsonrpc, method, path } = object;
  if (jsonrpc !== "2.0") throw new Fault("bad_request", 'A request needs "jsonrpc":"2.0"');
  if (!isInteger(object["id"])) throw new Fault("bad_request", 'The "id" of a request must be an integer');
  if (typeof method !== "string" || method === "")
    throw new Fault("bad_request", 'The "method" of a request must be an HTTP method');
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new Fault("bad_request", 'The "path" of a request must begin with "/"');
  const target = parseTarget(path);
  if (object["params"] === undefined && !isPartOfChunk(object))
    return {
      request: {
        transport: "usb",
        isOwner: true,
        method,
        path: target.path,
        parameters: target.parameters,
        bodyByteLength: 0,
      },
      body: undefined,
    };
  const parameters = new Map(target.parameters);
  addParameters(parameters, object["params"], parameterNames);
  const body = readChunk(parameters, object, base64, taken);
  const bodyByteLength = body?.length ?? 0;
  return {
    request: { transport: "usb", isOwner: true, method, path: target.path, parameters, bodyByteLength },
    body,
  };
}

function isPartOfChunk({ chunk, total, data }: JsonObject): boolean {
  return chunk !== undefined || total !== undefined || data !== undefined;
}

function addParameters(
  parameters: Map<string, string>,
  params: Json | undefined,
  names: readonly string[],
): void {
  if (params === undefined) return;
  if (!isObject(params)) throw new Fault("bad_request", 'The "params" of a request must be an object');
  for (const name of Object.keys(params))
    if (names.includes(name)) add(parameters, name, textOf(name, params[name]));
}

/** Moves `chunk` and `total` to the parameters, where there are any. @returns the bytes of `data` */
function readChunk(
  parameters: Map<string, string>,
  object: JsonObject,
  base64: Base64,
  taken: Uint8Array | undefined,
): Uint8Array | undefined {
  if (!isPartOfChunk(object)) return undefined;
  const { chunk, total, data } = object;
  if (!isInteger(chunk) || !isInteger(total) || typeof data !== "string")
    throw new Fault("bad_request", 'In a chunk, "chunk" and "total" must be integers, and "data" text');
  add(parameters, "chunk", String(chunk));
  add(parameters, "total", String(total));
  try {
    return taken ?? new Uint8Array(base64.decode(data));
  } catch (cause) {
    throw new Fault("bad_encoding", '"data" is not base64', { cause });
  }
}

function add(parameters: Map<string, string>, name: string, text: string): void {
  if (parameters.has(name)) throw new Fault("duplicate_parameter", `Parameter "${name}" occurs twice`);
  parameters.set(name, text);
}

function textOf(name: string, value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Fault("bad_parameter", `Parameter "${name}" must be text, a number, true or false`);
}

function isInteger(value: Json | undefined): value is number {
  return Number.isSafeInteger(value);
}

export type Message =
  | ({ readonly kind: "request"; readonly id: number } & RequestWithBody)
  | { readonly kind: "refusal"; readonly id: number | null; readonly error: unknown };

const BRACE = 0x7b;

export class MessageReader {
  /** For lines without `params`, which are most of them: each name that is looked for costs something with each line. */
  readonly #flat: JsonReader;
  readonly #nested: JsonReader;
  readonly #chunks: ChunkLineReader;
  readonly #base64: Base64;
  readonly #parameterNames: readonly string[];

  /** @param parameterNames what endpoints declare; members of `params` that have other names are ignored */
  constructor(base64: Base64, parameterNames: readonly string[]) {
    const limits = { byteLength: CHUNK_LINE_LIMIT_BYTES, values: REQUEST_VALUES_LIMIT };
    this.#flat = new JsonReader({ ...limits, names: REQUEST_MEMBERS });
    const names = [...new Set([...REQUEST_MEMBERS, ...parameterNames])]; // some are both
    this.#nested = new JsonReader({ ...limits, names });
    this.#chunks = new ChunkLineReader(base64);
    this.#base64 = base64;
    this.#parameterNames = parameterNames;
  }

  /** @param line which is of no more use afterwards */
  read({ bytes, isWhole }: Line): Message {
    if (!isWhole) return refusal(bytes, tooLong(CHUNK_LINE_LIMIT_BYTES));
    return bytes.length > LINE_LIMIT_BYTES ? this.#readLong(bytes) : this.#readShort(bytes);
  }

  #readShort(bytes: Uint8Array): Message {
    try {
      const value = this.#parse(bytes);
      if (!isObject(value)) throw new Fault("bad_request", "A request must be a JSON object");
      return this.#message(value);
    } catch (error) {
      return refusal(bytes, error);
    }
  }

  #readLong(line: Uint8Array): Message {
    const chunk = this.#chunks.read(line);
    const bytes = chunk?.envelope ?? line;
    try {
      return this.#message(this.#longValue(bytes), chunk?.data);
    } catch (error) {
      return refusal(bytes, error);
    }
  }

  // "Too long" has priority over other faults of a long line without a chunk.
  #longValue(bytes: Uint8Array): JsonObject {
    try {
      const value = this.#parse(bytes);
      if (isObject(value) && isChunk(value)) return value;
    } catch (cause) {
      throw tooLong(LINE_LIMIT_BYTES, cause);
    }
    throw tooLong(LINE_LIMIT_BYTES);
  }

  /** Parameters are in an object within the object. */
  #parse(bytes: Uint8Array): Json {
    const isNested = bytes.indexOf(BRACE, bytes.indexOf(BRACE) + 1) >= 0;
    return (isNested ? this.#nested : this.#flat).read(bytes);
  }

  /** @param data of the chunk, where it is not in `object` */
  #message(object: JsonObject, data?: Uint8Array): Message {
    const id = idOf(object);
    try {
      const { request, body } = readRequest(object, this.#parameterNames, this.#base64, data);
      return { kind: "request", id: id as number, request, body };
    } catch (error) {
      return { kind: "refusal", id, error };
    }
  }
}

function refusal(line: Uint8Array, error: unknown): Message {
  return { kind: "refusal", id: readableId(line), error };
}

function tooLong(limit: number, cause?: unknown): Fault {
  const kind = limit === LINE_LIMIT_BYTES ? "A line" : "A line with a chunk";
  return new Fault("line_too_long", `${kind} must have at most ${limit} bytes`, { cause });
}
