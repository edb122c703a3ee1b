/**
 * Parses a line into a request, or into a fault and the id to answer it with (docs/spec/usb.md#bad-line). A line
 * over 1024 bytes is a request only if it carries a chunk.
 */
import { Fault } from "../../../protocol/fault.js";
import { JsonReader } from "../../../protocol/json.js";
import type { Json } from "../../../protocol/json-value.js";
import { CHUNK_LINE_LIMIT_BYTES, LINE_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Base64 } from "../../../protocol/ports/bytes.js";
import { ChunkLineReader } from "./chunk-line.js";
import { REQUEST_VALUES_LIMIT } from "./limits.js";
import type { Line } from "./line-reader.js";
import { readableId } from "./readable-id.js";
import {
  idOf,
  isChunk,
  isObject,
  type JsonObject,
  REQUEST_MEMBERS,
  type RequestWithBody,
  readRequest,
} from "./request-object.js";

export type Message =
  | ({ readonly kind: "request"; readonly id: number } & RequestWithBody)
  | { readonly kind: "refusal"; readonly id: number | null; readonly error: unknown };

const OPENING = 0x7b;

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
      if (!isObject(value)) throw new Fault("bad_request", "A request is a JSON object");
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
    const isNested = bytes.indexOf(OPENING, bytes.indexOf(OPENING) + 1) >= 0;
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
  return new Fault("line_too_long", `${kind} takes at most ${limit} bytes`, { cause });
}
