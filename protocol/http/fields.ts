/**
 * The field lines of a head (RFC 9112 §5), checked once and then looked up where somebody asks.
 *
 * A head is mostly fields that nobody reads. Making an entry of each would cost more than everything
 * else a small request needs; searching the lower-case text for `CRLF name :` is one call into C.
 */
import { Fault } from "../fault.js";
import { COLON, CR, fieldValueEnd, LF, tokenEnd } from "./characters.js";

const END = "\r\n";

export class Fields {
  readonly #text: string;
  readonly #lowerCase: string;

  /** @param text a whole head in ASCII, checked by {@link checkFieldLines} */
  constructor(text: string) {
    this.#text = text;
    this.#lowerCase = text.toLowerCase();
  }

  /**
   * Value of a field that may come once.
   * @param name in lower case
   * @throws {Fault} `bad_request` where it comes twice
   */
  single(name: string): string | undefined {
    const key = `${END}${name}:`;
    const start = this.#find(key, 0);
    if (start < 0) return undefined;
    if (this.#find(key, start) >= 0) throw new Fault("bad_request", `Field "${name}" is there twice`);
    return this.#valueAt(start);
  }

  /** Values of a field that may come several times, joined by commas as RFC 9110 §5.3 has it. */
  list(name: string): string | undefined {
    const key = `${END}${name}:`;
    let start = this.#find(key, 0);
    if (start < 0) return undefined;
    let values = this.#valueAt(start);
    while (true) {
      start = this.#find(key, start);
      if (start < 0) return values;
      values += `, ${this.#valueAt(start)}`;
    }
  }

  /** Whether a list holds `token` (in lower case), whatever the case it came in. */
  hasToken(name: string, token: string): boolean {
    const list = this.list(name)?.toLowerCase();
    if (list === undefined || list === token) return list !== undefined;
    return list.split(",").some((element) => element.trim() === token);
  }

  /** Where the value behind the next `key` begins, -1 where there is none. */
  #find(key: string, from: number): number {
    const at = this.#lowerCase.indexOf(key, from);
    return at < 0 ? at : at + key.length;
  }

  #valueAt(start: number): string {
    return this.#text.slice(start, this.#text.indexOf(END, start)).trim();
  }
}

/**
 * Checks field lines from `start` through the empty line at the end of `bytes`.
 * @param bytes lines that end in CRLF, as a head reader collects them; opaque bytes in them become `?`
 * @throws {Fault} `bad_request`: no name, a space before the colon, a folded line, a control character
 */
export function checkFieldLines(bytes: Uint8Array, start: number): void {
  let line = start;
  while (bytes[line] !== CR) {
    const colon = tokenEnd(bytes, line);
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
