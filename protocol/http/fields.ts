/**
 * Fields of an HTTP message (RFC 9110 §5): checks and looks them up, and scans the characters of fields and targets.
 */
import { Fault } from "../fault.js";

/**
 * A head including its empty line; a longer one is 431. Browsers send 500 to 1000 bytes, plus a long query
 * (docs/spec/http.md#head-limit).
 */
export const HEAD_LIMIT_BYTES = 4096;

/** Initial buffer of a head reader: most heads fit, and eight connections cost 8 KiB. */
export const HEAD_START_BYTES = 1024;

// Bytes of the grammar of HTTP/1.1 (RFC 9112, RFC 9110 §5.6), and functions that scan for them.

const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const SEMICOLON = 0x3b;
export const COLON = 0x3a;

const DASH = 0x2d;
const QUESTION_MARK = 0x3f;
const DELETE = 0x7f;

/** Token characters (RFC 9110 §5.6.2) that are not letters. */
const TOKEN_MARKS = "!#$%&'*+-.^_`|~0123456789";

/** Whether `byte` is allowed in a token. */
export function isTokenByte(byte: number): boolean {
  const letter = byte | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) || (byte > SPACE && TOKEN_MARKS.includes(String.fromCharCode(byte)))
  );
}

/** Whether `byte` is a control character other than a tab. */
export function isControl(byte: number): boolean {
  return (byte < SPACE && byte !== TAB) || byte === DELETE;
}

// The scans have no bounds check: a read past the end gives `undefined`, every comparison with it is false, and the
// scan stops there. This saves a comparison per byte.

/** End of the field name that begins at `from`. Lower-cases the name in place, so that look-ups ignore its case. */
function fieldNameEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] as number;
    if ((byte >= 0x61 && byte <= 0x7a) || byte === DASH) continue;
    if (byte >= 0x41 && byte <= 0x5a) bytes[at] = byte | 0x20;
    else if (byte <= SPACE || byte === COLON || !TOKEN_MARKS.includes(String.fromCharCode(byte))) return at;
  }
}

/**
 * End of the field value that begins at `from`: the first control character other than a tab (RFC 9110 §5.5). Replaces
 * bytes above 0x7f, which are opaque and not allowed in any field that is read here, by `?`. The head is then ASCII,
 * and character positions are byte positions.
 */
export function fieldValueEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] as number;
    if (byte >= SPACE && byte < DELETE) continue;
    if (byte > DELETE) bytes[at] = QUESTION_MARK;
    else if (byte !== TAB) return at;
  }
}

// The parts of TextEncoder and TextDecoder that servers and clients need. All connections share one of each.

export interface Decoder {
  decode(bytes: Uint8Array): string;
}

export interface Encoder {
  encode(text: string): Uint8Array;
  /** Writes as much of `text` as fits. `read` counts UTF-16 code units of `text`, `written` bytes. */
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
}

/** Members of a list; more is 431. Proxies add two or three members to `Connection`. */
export const LIST_LIMIT = 32;

/** All values of a list field together; more is 431. Each look-up in a list copies it. */
export const LIST_LIMIT_CHARACTERS = 256;

/** Value of a field that occurs once; more is 431. The longest one in use is a chain of four successions: 1035. */
export const VALUE_LIMIT_CHARACTERS = 1280;

const END = "\r\n";

export class Fields {
  readonly #text: string;

  /** @param text a whole head in ASCII, after {@link checkFieldLines} */
  constructor(text: string) {
    this.#text = text;
  }

  /** Length of the whole head. */
  get byteLength(): number {
    return this.#text.length;
  }

  /**
   * Value of a field that occurs at most once; `undefined` if it is absent.
   * @param name in lower case
   * @throws {Fault} `bad_request` if it occurs twice, `head_too_large`
   */
  single(name: string): string | undefined {
    const key = `${END}${name}:`;
    const start = this.#find(key, 0);
    if (start < 0) return undefined;
    if (this.#find(key, start) >= 0) throw new Fault("bad_request", `Field "${name}" occurs twice`);
    return this.#valueAt(start, VALUE_LIMIT_CHARACTERS);
  }

  /**
   * Values of a field that can occur several times, joined by commas (RFC 9110 §5.3); `undefined` if it is absent.
   * @param name in lower case
   * @throws {Fault} `head_too_large` if the result exceeds {@link LIST_LIMIT_CHARACTERS}
   */
  list(name: string): string | undefined {
    const key = `${END}${name}:`;
    let start = this.#find(key, 0);
    if (start < 0) return undefined;
    let values = this.#valueAt(start, LIST_LIMIT_CHARACTERS);
    while (true) {
      start = this.#find(key, start);
      if (start < 0) return values;
      values += `, ${this.#valueAt(start, LIST_LIMIT_CHARACTERS)}`;
      if (values.length > LIST_LIMIT_CHARACTERS) throw tooLong(LIST_LIMIT_CHARACTERS);
    }
  }

  /**
   * Whether a list field contains `token`, ignoring case.
   * @param token in lower case
   * @throws {Fault} `head_too_large` as {@link list} and {@link findMember}
   */
  hasToken(name: string, token: string): boolean {
    const list = this.list(name)?.toLowerCase();
    if (list === undefined || list === token) return list !== undefined;
    return findMember(list, token) >= 0;
  }

  /** Start of the value after the next `key`; -1 if there is none. */
  #find(key: string, from: number): number {
    const at = this.#text.indexOf(key, from);
    return at < 0 ? at : at + key.length;
  }

  /** Rejects a long value before copying it: a few copies of the longest would fill a console's heap. */
  #valueAt(start: number, limit: number): string {
    const end = this.#text.indexOf(END, start);
    if (end - start > limit) throw tooLong(limit);
    return this.#text.slice(start, end).trim();
  }
}

function tooLong(limit: number): Fault {
  return new Fault("head_too_large", `Cannot accept more than ${limit} characters in this field`);
}

/**
 * Start of the first member of `list` that equals `member`; -1 if there is none. Does not split the list: as an array,
 * 4 KiB of commas would fill a console's heap.
 * @throws {Fault} `head_too_large` if it is not among the first {@link LIST_LIMIT} members and there are more
 */
export function findMember(list: string, member: string): number {
  let start = 0;
  for (let count = 0; count < LIST_LIMIT; count++) {
    const comma = list.indexOf(",", start);
    if (list.slice(start, comma < 0 ? list.length : comma).trim() === member) return start;
    if (comma < 0) return -1;
    start = comma + 1;
  }
  throw new Fault("head_too_large", `Cannot accept a list of more than ${LIST_LIMIT} members in a field`);
}

/**
 * Check the field lines from `start` through the empty line at the end of `bytes`. Changes them in place: opaque bytes
 * become `?`, names lower case.
 * @param bytes lines that end in CRLF, as a head reader collects them
 * @throws {Fault} `bad_request` for a missing name, a space before the colon, a folded line, a control character
 */
export function checkFieldLines(bytes: Uint8Array, start: number): void {
  let line = start;
  while (bytes[line] !== CR) {
    const colon = fieldNameEnd(bytes, line);
    // RFC 9112 §5.1: reject a space before the colon. A folded line (§5.2) begins with a space.
    if (colon === line || bytes[colon] !== COLON)
      throw new Fault("bad_request", "A field line must begin with a name and a colon");
    const end = fieldValueEnd(bytes, colon + 1);
    if (bytes[end] !== CR || bytes[end + 1] !== LF)
      throw new Fault("bad_request", "A field value contains a control character");
    line = end + 2;
  }
  if (line !== bytes.length - 2) throw new Fault("bad_request", "A line begins with a control character");
}
