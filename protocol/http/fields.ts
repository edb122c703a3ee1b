/**
 * Fields of an HTTP message (RFC 9110 §5), and the characters that they and targets may hold.
 */
import { Fault } from "../fault.js";

/**
 * A head with its empty line; more is 431. Browsers send 500 to 1000, a long query comes on top
 * (docs/spec/http.md#head-limit).
 */
export const HEAD_LIMIT_BYTES = 4096;

/** What a head reader holds at first: most heads fit, and eight connections then cost 8 KiB. */
export const HEAD_START_BYTES = 1024;

// Bytes that the grammar of HTTP/1.1 names (RFC 9112, RFC 9110 §5.6), and scanning for them.

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

/** Whether a token may hold `byte`. For single bytes; {@link tokenEnd} scans. */
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

// Past the end of the bytes there is `undefined`, which compares as false with every number: each scan ends there, and
// spends nothing on it for the hundred bytes before.

/** Where the token that begins at `from` ends; `from` itself where there is none. */
export function tokenEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] as number;
    if ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)) continue;
    if (byte <= SPACE || byte === COLON || !TOKEN_MARKS.includes(String.fromCharCode(byte))) return at;
  }
}

/** The same for the name of a field, whose letters become lower-case: it is looked up so, whatever case it came in. */
function fieldNameEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] as number;
    if ((byte >= 0x61 && byte <= 0x7a) || byte === DASH) continue;
    if (byte >= 0x41 && byte <= 0x5a) bytes[at] = byte | 0x20;
    else if (byte <= SPACE || byte === COLON || !TOKEN_MARKS.includes(String.fromCharCode(byte))) return at;
  }
}

/** Where the printable ASCII without spaces (VCHAR, RFC 5234) that begins at `from` ends. */
export function visibleEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] as number;
    if (!(byte > SPACE && byte < DELETE)) return at;
    at++;
  }
}

/**
 * Where the field value that begins at `from` ends: at the first control character but a tab (RFC 9110
 * §5.5). Bytes above 0x7f are opaque and no field that we read may hold them, so they become `?`: the
 * text of a head is then ASCII, and positions in it are those of its bytes.
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

// What servers and clients need of TextEncoder and TextDecoder; the owner of the connections owns one of each.

export interface Decoder {
  decode(bytes: Uint8Array): string;
}

export interface Encoder {
  encode(text: string): Uint8Array;
  /** Writes as much of `text` as fits; `read` counts UTF-16 units of it, `written` bytes. */
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
}

/** Members of a list that are scanned one by one; more is 431. Proxies add two or three to Connection. */
export const LIST_LIMIT = 32;

/** All values of a list together; more is 431. Each look at a list makes copies of it. */
export const LIST_LIMIT_CHARACTERS = 256;

/** A value that comes once; more is 431. The longest that is read is a succession of four publishers, of 1035. */
export const VALUE_LIMIT_CHARACTERS = 1280;

const END = "\r\n";

export class Fields {
  readonly #text: string;

  /** @param text a whole head in ASCII, as {@link checkFieldLines} has left it */
  constructor(text: string) {
    this.#text = text;
  }

  /** Of the whole head. */
  get byteLength(): number {
    return this.#text.length;
  }

  /**
   * Value of a field that may come once.
   * @param name in lower case
   * @throws {Fault} `bad_request` where it comes twice, `head_too_large`
   */
  single(name: string): string | undefined {
    const key = `${END}${name}:`;
    const start = this.#find(key, 0);
    if (start < 0) return undefined;
    if (this.#find(key, start) >= 0) throw new Fault("bad_request", `Field "${name}" occurs twice`);
    return this.#valueAt(start, VALUE_LIMIT_CHARACTERS);
  }

  /**
   * Values of a field that may come several times, joined by commas as RFC 9110 §5.3 has it.
   * @throws {Fault} `head_too_large` where that takes more than {@link LIST_LIMIT_CHARACTERS}
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
   * Whether a list holds `token` (in lower case), whatever the case it came in.
   * @throws {Fault} `head_too_large` as {@link list} and {@link findMember}
   */
  hasToken(name: string, token: string): boolean {
    const list = this.list(name)?.toLowerCase();
    if (list === undefined || list === token) return list !== undefined;
    return findMember(list, token) >= 0;
  }

  /** Where the value behind the next `key` begins, -1 where there is none. */
  #find(key: string, from: number): number {
    const at = this.#text.indexOf(key, from);
    return at < 0 ? at : at + key.length;
  }

  /** What is too long is refused before anything is made of it: of the longest, a few copies are a console's heap. */
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
 * Where the first of the members of `list` that is `member` begins, -1 where none is. Nothing is made of the others
 * that lasts: as an array, 4 KiB of commas would take a console's whole heap.
 * @throws {Fault} `head_too_large` where it is not among the first {@link LIST_LIMIT}, and there are more
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
 * Checks field lines from `start` through the empty line at the end of `bytes`.
 * @param bytes lines that end in CRLF, as a head reader collects them; opaque bytes in them become `?`,
 *   names lower-case
 * @throws {Fault} `bad_request`: no name, a space before the colon, a folded line, a control character
 */
export function checkFieldLines(bytes: Uint8Array, start: number): void {
  let line = start;
  while (bytes[line] !== CR) {
    const colon = fieldNameEnd(bytes, line);
    // RFC 9112 §5.1: a space before the colon is refused. A folded line (§5.2) begins with a space.
    if (colon === line || bytes[colon] !== COLON)
      throw new Fault("bad_request", "A field line must begin with a name and a colon");
    const end = fieldValueEnd(bytes, colon + 1);
    if (bytes[end] !== CR || bytes[end + 1] !== LF)
      throw new Fault("bad_request", "A field value contains a control character");
    line = end + 2;
  }
  if (line !== bytes.length - 2) throw new Fault("bad_request", "A line begins with a control character");
}
