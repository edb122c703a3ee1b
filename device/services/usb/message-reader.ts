/**
 * Parses a line into a request, or into a fault and the request's id, if readable (docs/spec/usb.md#bad-line). A line
 * over 1024 bytes is a request only if it carries a chunk.
 */

import { Fault } from "../../../protocol/fault.js";
import { type Json, JsonReader } from "../../../protocol/json.js";
import { CHUNK_LINE_LIMIT_BYTES, LINE_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import { INTEGER_LIMIT } from "../api/call.js";
import type { ParameterValue, Request } from "../api/request.js";
import { parseTarget } from "../http/request-head.js";
import type { Line } from "./line-reader.js";

/**
 * JSON values in a request, at any depth: a request with every member and a dozen parameters has 24. A line of 5 KiB
 * can hold 2,500 values, which exceed the XS heap (docs/spec/usb.md#request-values).
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

/** @returns `null` if the outermost object has no integer `id` */
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

/** Index after the closing quote of the string at `start`, or past the end of the line. */
function stringEnd(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Converts each byte to one character, at most {@link VALUE_LIMIT_BYTES} of them. */
function asText(line: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...line.subarray(start, Math.min(end, start + VALUE_LIMIT_BYTES)));
}

function integerIn(text: string): number | null {
  const digits = VALUE.exec(text)?.[1];
  const id = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}

// Converts a JSON request (docs/spec/usb.md#request) into an API call. Parameters come from the path's query, from
// `params`, and from a chunk; a duplicate parameter is rejected, as over HTTP.

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

/** The id for the answer: the request's, if it is an integer, else `null`. */
function idOf(object: JsonObject): number | null {
  return isInteger(object["id"]) ? object["id"] : null;
}

/** Whether the object has all members of a chunk, so that its line may be longer. */
function isChunk(object: JsonObject): boolean {
  return object["chunk"] !== undefined && object["total"] !== undefined && object["data"] !== undefined;
}

/**
 * @param id of the request, as {@link idOf} has it
 * @param parameterNames members of `params` to read; others are ignored
 * @param taken bytes of the chunk, if they were cut out of `object`, whose `data` is then empty
 * @throws {Fault} `bad_request` for an invalid request, `bad_parameter`, `duplicate_parameter`, and `bad_encoding` for
 *   data that is not base64 and paths that are not percent-encoded UTF-8
 */
function readRequest(
  object: JsonObject,
  id: number | null,
  parameterNames: readonly string[],
  base64: Base64,
  taken?: Uint8Array,
): RequestWithBody {
  const { jsonrpc, method, path } = object;
  if (jsonrpc !== "2.0") throw new Fault("bad_request", 'A request needs "jsonrpc":"2.0"');
  if (id === null) throw new Fault("bad_request", 'The "id" of a request must be an integer');
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
  // Without an iterator where there is nothing to copy: most lines have no query.
  const { size } = target.parameters;
  const parameters = new Map<string, ParameterValue>(size === 0 ? undefined : target.parameters);
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
  parameters: Map<string, ParameterValue>,
  params: Json | undefined,
  names: readonly string[],
): void {
  if (params === undefined) return;
  if (!isObject(params)) throw new Fault("bad_request", 'The "params" of a request must be an object');
  const given = Object.keys(params);
  for (let index = 0; index < given.length; index++) {
    const name = given[index] as string;
    if (names.includes(name)) add(parameters, name, textOf(name, params[name]));
  }
}

/** Adds `chunk` and `total` to the parameters. @returns the bytes of `data`, `undefined` without a chunk */
function readChunk(
  parameters: Map<string, ParameterValue>,
  object: JsonObject,
  base64: Base64,
  taken: Uint8Array | undefined,
): Uint8Array | undefined {
  if (!isPartOfChunk(object)) return undefined;
  const { chunk, total, data } = object;
  if (!isInteger(chunk) || !isInteger(total) || typeof data !== "string")
    throw new Fault("bad_request", 'In a chunk, "chunk" and "total" must be integers, and "data" text');
  add(parameters, "chunk", parameterOf(chunk));
  add(parameters, "total", parameterOf(total));
  try {
    return taken ?? new Uint8Array(base64.decode(data));
  } catch (cause) {
    throw new Fault("bad_encoding", '"data" is not base64', { cause });
  }
}

/** A number that no parameter can be is text, which the check of parameters refuses. */
function parameterOf(value: number): ParameterValue {
  return value >= 0 && value <= INTEGER_LIMIT ? value : String(value);
}

function add(parameters: Map<string, ParameterValue>, name: string, value: ParameterValue): void {
  if (parameters.has(name)) throw new Fault("duplicate_parameter", `Parameter "${name}" occurs twice`);
  parameters.set(name, value);
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
const CLOSING_BRACE = 0x7d;

export class MessageReader {
  /** For lines without `params`, the majority: each name that a reader recognizes costs time with each line. */
  readonly #flat: JsonReader;
  readonly #nested: JsonReader;
  readonly #base64: Base64;
  readonly #parameterNames: readonly string[];

  /** @param parameterNames parameters that endpoints declare; other members of `params` are ignored */
  constructor(base64: Base64, parameterNames: readonly string[]) {
    const limits = { byteLength: CHUNK_LINE_LIMIT_BYTES, values: REQUEST_VALUES_LIMIT };
    this.#flat = new JsonReader({ ...limits, names: REQUEST_MEMBERS });
    const names = [...new Set([...REQUEST_MEMBERS, ...parameterNames])]; // some are both
    this.#nested = new JsonReader({ ...limits, names });
    this.#base64 = base64;
    this.#parameterNames = parameterNames;
  }

  read({ bytes, isWhole, data }: Line): Message {
    if (!isWhole) return refusal(bytes, tooLong(CHUNK_LINE_LIMIT_BYTES));
    const isShort = data === undefined && bytes.length <= LINE_LIMIT_BYTES;
    return isShort ? this.#readShort(bytes) : this.#readLong(bytes, data);
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

  #readLong(bytes: Uint8Array, data: Uint8Array | undefined): Message {
    try {
      return this.#message(this.#longValue(bytes), data);
    } catch (error) {
      return refusal(bytes, error);
    }
  }

  // For a long line without a chunk, `line_too_long` has priority over other faults.
  #longValue(bytes: Uint8Array): JsonObject {
    try {
      const value = this.#parse(bytes);
      if (isObject(value) && isChunk(value)) return value;
    } catch (cause) {
      throw tooLong(LINE_LIMIT_BYTES, cause);
    }
    throw tooLong(LINE_LIMIT_BYTES);
  }

  /** A second brace means an object within the object: `params`. An empty one needs no names. */
  #parse(bytes: Uint8Array): Json {
    let inner = bytes.indexOf(BRACE, bytes.indexOf(BRACE) + 1);
    if (inner >= 0 && bytes[inner + 1] === CLOSING_BRACE) inner = bytes.indexOf(BRACE, inner + 1);
    return (inner >= 0 ? this.#nested : this.#flat).read(bytes);
  }

  /** @param data bytes of the chunk, if they were cut out of `object` */
  #message(object: JsonObject, data?: Uint8Array): Message {
    const id = idOf(object);
    try {
      const { request, body } = readRequest(object, id, this.#parameterNames, this.#base64, data);
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
