/**
 * JSON that strangers send. XS recurses into nested JSON, ends the whole machine at some 100,000 levels,
 * and no `try` catches that; so size, encoding, nesting and count are bounded before JSON.parse sees anything.
 *
 * Nesting costs nothing where there is little of it: a text with no more opening brackets than levels
 * allowed cannot be nested deeper, nor can one with few commas hold many values, and looking for both is C's work.
 * Only a text with more of them is read byte by byte.
 */
import { Fault } from "./fault.js";
import { JSON_DEPTH_LIMIT, JSON_LIMIT_BYTES, JSON_VALUES_LIMIT } from "./limits.js";

/** Any value that JSON can carry. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

interface JsonLimits {
  readonly byteLength?: number;
  /** Arrays and objects within each other; a text without any has depth 0. */
  readonly depth?: number;
  /**
   * Most values in the text, of any kind and at whatever depth, and empty arrays and objects twice: two bytes of an
   * empty array take 48 of heap on XS. On a device this must be said: {@link JSON_VALUES_LIMIT} is for a hub.
   */
  readonly values?: number;
  /**
   * Names of the members to keep, at any depth. A device must set this: XS keeps every property name that it has ever
   * met, so 4,000 names chosen by an attacker fill its heap [measured]. Other platforms keep members of other names
   * too; callers must not rely on either.
   */
  readonly names?: readonly string[];
}

/** Reads JSON texts one after another; owns a decoder and no memory of what it has read. */
export class JsonReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #byteLength: number;
  readonly #depth: number;
  readonly #values: number;
  readonly #names: readonly string[] | undefined;

  constructor({ byteLength, depth, values, names }: JsonLimits = {}) {
    this.#byteLength = byteLength ?? JSON_LIMIT_BYTES;
    this.#depth = depth ?? JSON_DEPTH_LIMIT;
    this.#values = values ?? JSON_VALUES_LIMIT;
    this.#names = names;
  }

  /**
   * The value of one JSON text (RFC 8259) in UTF-8 without byte order mark.
   * @throws {Fault} `body_too_large`, `bad_encoding`, `bad_json`
   */
  read(bytes: Uint8Array): Json {
    if (bytes.length > this.#byteLength)
      throw new Fault("body_too_large", `Cannot accept JSON over ${this.#byteLength} bytes`);
    const text = this.#decode(bytes);
    if (!isPlainlyWithin(text, this.#depth, this.#values)) checkShape(bytes, this.#depth, this.#values);
    try {
      return parseWithNames(text, this.#names);
    } catch (cause) {
      throw new Fault("bad_json", "The text is not JSON", { cause });
    }
  }

  #decode(bytes: Uint8Array): string {
    // RFC 8259 §8.1: a byte order mark must not be sent. Decoders drop it, so it is looked for here.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
      throw new Fault("bad_encoding", "JSON must not begin with a byte order mark");
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new Fault("bad_encoding", "The text is not UTF-8", { cause });
    }
  }
}

/**
 * Parse a single JSON text; a caller that parses many keeps a {@link JsonReader}.
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

/** Whether a parser cannot meet more than that in `text`, even if all its brackets and commas meant something. */
function isPlainlyWithin(text: string, depth: number, values: number): boolean {
  const arrays = countUpTo(depth + 1, text, "[");
  const openings = arrays + countUpTo(depth + 1 - arrays, text, "{");
  return (
    openings <= depth && (isTooShortFor(values, text) || openings + countUpTo(values, text, ",") < values)
  );
}

/** Three characters hold two values at the most: an empty array and a comma. */
function isTooShortFor(values: number, text: string): boolean {
  return 2 * text.length < 3 * (values - 1);
}

function countUpTo(most: number, text: string, bracket: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0 && count < most; at = text.indexOf(bracket, at + 1)) count++;
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Counts levels and values; what is in strings does not count. The first value follows nothing, any other follows a
 * comma or opens what it is in. Reads bytes, since XS walks to each character of a text from its beginning.
 */
function checkShape(bytes: Uint8Array, depthLimit: number, valuesLimit: number): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > depthLimit)
        throw new Fault("bad_json", `Cannot accept JSON nested more than ${depthLimit} deep`);
      values++;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === COMMA) values++;
    if (values > valuesLimit)
      throw new Fault("bad_json", `Cannot accept JSON of more than ${valuesLimit} values`);
  }
}

/** Where the string ends that begins at `start`: at its closing quote, or at the end of the text. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
