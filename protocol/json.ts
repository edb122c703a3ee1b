/**
 * Parses untrusted JSON. XS recurses into nested JSON and aborts the whole machine at some 100,000 levels, which no
 * `try` catches. So size, encoding, nesting and number of values are checked before the text reaches `JSON.parse`.
 *
 * The check is cheap for most texts. A text cannot be nested deeper than its number of opening brackets, and the number
 * of its brackets and commas bounds the number of its values; `indexOf` counts both in C. Only a text in which these
 * bounds exceed the limits is scanned byte by byte.
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
  /** Nesting of arrays and objects; a text without any has depth 0. */
  readonly depth?: number;
  /**
   * Maximum number of values in the text, of any kind and at any depth. Empty arrays and objects count twice: the two
   * bytes of an empty array take 48 bytes of heap on XS. A device must set this; the default,
   * {@link JSON_VALUES_LIMIT}, is for a hub.
   */
  readonly values?: number;
  /**
   * Names of the members to keep, at any depth. A device must set this: XS never frees a property name, so 4,000 names
   * chosen by an attacker fill its heap [measured]. Other engines also keep members with other names; callers must not
   * rely on either behaviour.
   */
  readonly names?: readonly string[];
}

/** Reads JSON texts one after another. Reuses its decoder; keeps no state between texts. */
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
   * Parse one JSON text (RFC 8259) in UTF-8 without byte order mark.
   * @throws {Fault} `body_too_large`, `bad_encoding`, `bad_json`
   */
  read(bytes: Uint8Array): Json {
    if (bytes.length > this.#byteLength)
      throw new Fault("body_too_large", `Cannot accept JSON over ${this.#byteLength} bytes`);
    const text = this.#decode(bytes);
    if (!isPlainlyWithin(bytes, this.#depth, this.#values)) checkShape(bytes, this.#depth, this.#values);
    try {
      return parseWithNames(text, this.#names);
    } catch (cause) {
      throw new Fault("bad_json", "The text is not JSON", { cause });
    }
  }

  #decode(bytes: Uint8Array): string {
    // RFC 8259 §8.1: a byte order mark must not be sent. TextDecoder drops it silently, so check for it first.
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
 * Parse a single JSON text. To parse many, reuse a {@link JsonReader}.
 * @throws {Fault} `body_too_large`, `bad_encoding`, `bad_json`
 */
export function parseJson(bytes: Uint8Array, limits?: JsonLimits): Json {
  return new JsonReader(limits).read(bytes);
}

/**
 * Parse, keeping only members in `names` where the engine supports it. XS accepts an array in place of the reviver and
 * skips members with other names (xsJSON.c, `fxParseJSONObject`). Other engines ignore the array, since it is not
 * callable (ECMA-262 §25.5.1).
 */
function parseWithNames(text: string, names: readonly string[] | undefined): Json {
  return JSON.parse(text, names as unknown as undefined) as Json;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** Whether the text is within the limits even if every bracket and comma in it, also those in strings, is counted. */
function isPlainlyWithin(bytes: Uint8Array, depth: number, values: number): boolean {
  const arrays = countUpTo(depth + 1, bytes, BRACKET);
  const openings = arrays + countUpTo(depth + 1 - arrays, bytes, BRACE);
  return (
    openings <= depth &&
    (isTooShortFor(values, bytes.length) || openings + countUpTo(values, bytes, COMMA) < values)
  );
}

/** Whether a text is too short for `values` values: three bytes, `[],`, count as two values at most. */
function isTooShortFor(values: number, byteLength: number): boolean {
  return 2 * byteLength < 3 * (values - 1);
}

function countUpTo(most: number, bytes: Uint8Array, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0 && count < most; at = bytes.indexOf(byte, at + 1)) count++;
  return count;
}

/**
 * Check nesting and number of values, ignoring the contents of strings. The outermost value counts as one; each comma
 * and each opening bracket adds one. Scans bytes, not characters: XS finds a character by walking from the start of
 * the string.
 */
function checkShape(bytes: Uint8Array, depthLimit: number, valuesLimit: number): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === BRACKET || byte === BRACE) {
      if (++depth > depthLimit)
        throw new Fault("bad_json", `Cannot accept JSON nested more than ${depthLimit} deep`);
      values++;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === COMMA) values++;
    if (values > valuesLimit)
      throw new Fault("bad_json", `Cannot accept JSON of more than ${valuesLimit} values`);
  }
}

/** Offset of the closing quote of the string that begins at `start`; without one, at or past the end of `bytes`. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
