/**
 * The field lines of a head (RFC 9112 §5), checked once and then looked up on demand.
 *
 * Most fields of a head are never read. Making an entry of each would cost more than everything else a small
 * request needs; searching the text for `CRLF name :` is one call into C.
 */
import { Fault } from "../fault.js";
import { COLON, CR, fieldNameEnd, fieldValueEnd, LF } from "./characters.js";

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
    if (this.#find(key, start) >= 0) throw new Fault("bad_request", `Field "${name}" is there twice`);
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
  return new Fault("head_too_large", `Cannot take more than ${limit} characters in this field`);
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
  throw new Fault("head_too_large", `Cannot take a list of more than ${LIST_LIMIT} members in a field`);
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
      throw new Fault("bad_request", "A field line takes a name and a colon right after it");
    const end = fieldValueEnd(bytes, colon + 1);
    if (bytes[end] !== CR || bytes[end + 1] !== LF)
      throw new Fault("bad_request", "A field value holds a control character");
    line = end + 2;
  }
  if (line !== bytes.length - 2) throw new Fault("bad_request", "A line begins with a control character");
}
