/**
 * JSON that strangers send. XS recurses into nested JSON, ends the whole machine at some 100,000 levels,
 * and no `try` catches that; so size, encoding and nesting are bounded before JSON.parse sees anything.
 *
 * Nesting costs nothing where there is little of it: a text with no more opening brackets than levels
 * allowed cannot be nested deeper, and looking for brackets is C's work. Only a text with more of them is
 * read byte by byte.
 */
import { Fault } from "./fault.js";
import type { Json } from "./json-value.js";
import { JSON_DEPTH_LIMIT, JSON_LIMIT_BYTES } from "./limits.js";

export interface JsonLimits {
  readonly byteLength?: number;
  /** Arrays and objects within each other; a text without any has depth 0. */
  readonly depth?: number;
  /**
   * Most values in the text, of any kind and at whatever depth: two bytes of an empty array take 48 of heap
   * on XS. Counted are commas and opening brackets, those in strings too. Left out: as many as there are.
   */
  readonly values?: number;
  /**
   * The names that members may have to be kept, at whatever depth. On a device this must be said: XS keeps
   * every name of a property that it has ever met, so that 4,000 of a stranger's choosing fill its heap
   * [measured]. Elsewhere members of other names are kept too; nobody may rely on either.
   */
  readonly names?: readonly string[];
}

/** Reads JSON texts one after another; owns a decoder and no memory of what it has read. */
export class JsonReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #byteLength: number;
  readonly #depth: number;
  readonly #values: number | undefined;
  readonly #names: readonly string[] | undefined;

  constructor({ byteLength = JSON_LIMIT_BYTES, depth = JSON_DEPTH_LIMIT, values, names }: JsonLimits = {}) {
    this.#byteLength = byteLength;
    this.#depth = depth;
    this.#values = values;
    this.#names = names;
  }

  /**
   * The value of one JSON text (RFC 8259) in UTF-8 without byte order mark.
   * @throws {Fault} `body_too_large`, `bad_encoding`, `bad_json`
   */
  read(bytes: Uint8Array): Json {
    if (bytes.length > this.#byteLength)
      throw new Fault("body_too_large", `Cannot take JSON over ${this.#byteLength} bytes`);
    const text = this.#decode(bytes);
    if (!isNestedWithin(bytes, text, this.#depth))
      throw new Fault("bad_json", `Cannot take JSON nested more than ${this.#depth} deep`);
    if (this.#values !== undefined && !hasAtMost(this.#values, text))
      throw new Fault("bad_json", `Cannot take JSON of more than ${this.#values} values`);
    try {
      return parseWithNames(text, this.#names);
    } catch (cause) {
      throw new Fault("bad_json", "This is not JSON", { cause });
    }
  }

  #decode(bytes: Uint8Array): string {
    // RFC 8259 §8.1: a byte order mark must not be sent. Decoders drop it, so it is looked for here.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
      throw new Fault("bad_encoding", "JSON takes no byte order mark");
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new Fault("bad_encoding", "This is not UTF-8", { cause });
    }
  }
}

/**
 * The value of a single JSON text; whoever reads many keeps a {@link JsonReader}.
 * @throws {Fault} `body_too_large`, `bad_encoding`, `bad_json`
 */
export function parseJson(bytes: Uint8Array, limits?: JsonLimits): Json {
  return new JsonReader(limits).read(bytes);
}

/**
 * XS takes an array where ECMAScript has the reviver, and then skips members of other names (xsJSON.c,
 * `fxParseJSONObject`). An array is not callable, so any other engine ignores it (ECMA-262 §25.5.1).
 */
function parseWithNames(text: string, names: readonly string[] | undefined): Json {
  return JSON.parse(text, names as unknown as undefined) as Json;
}

/** Whether a parser would meet arrays and objects within each other more than `limit` times in `bytes`. */
function isNestedWithin(bytes: Uint8Array, text: string, limit: number): boolean {
  const arrays = countUpTo(limit + 1, text, "[");
  return arrays + countUpTo(limit + 1 - arrays, text, "{") <= limit || deepest(bytes, limit) <= limit;
}

/** The first value follows nothing; any other follows a comma or opens what it is in. */
function hasAtMost(values: number, text: string): boolean {
  const limit = values - 1;
  const commas = countUpTo(values, text, ",");
  const arrays = countUpTo(values, text, "[");
  return commas + arrays + countUpTo(values, text, "{") <= limit;
}

function countUpTo(most: number, text: string, bracket: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0 && count < most; at = text.indexOf(bracket, at + 1)) count++;
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The greatest depth, or `limit` + 1 as soon as it is passed. Brackets in strings do not count. Reads
 * bytes, since XS walks to each character of a text from its beginning.
 */
function deepest(bytes: Uint8Array, limit: number): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < bytes.length && most <= limit; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === 0x5b || byte === 0x7b) most = Math.max(most, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return most;
}

/** Where the string ends that begins at `start`: at its closing quote, or at the end of the text. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
