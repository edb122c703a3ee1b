/**
 * A line with a chunk is nearly all base64, and a JSON parser would read each of its characters several times. So the
 * data is cut out of the line first, and decoded by itself; a short line with empty data remains:
 *
 *     {"jsonrpc":"2.0",…,"data":"AAECAwQF…"}   the line
 *     |<-- head -->|          |<-- tail -->|   where quotes are looked for
 *     {"jsonrpc":"2.0",…,"data":""}            its envelope
 *
 * That is the same line, parsed the same way, because the cut is made only where the line is unambiguous: the cut part
 * is base64 between two quotes, so it holds neither a quote nor an escape, and the rest holds no escape and names no
 * other data. Any other line stays unchanged.
 */
import type { Base64 } from "../../../protocol/ports/bytes.js";

export interface ChunkLine {
  /** The line without its data: a view of it, in which the bytes were moved together. */
  readonly envelope: Uint8Array;
  readonly data: Uint8Array;
}

/** Where data begins: behind a few short members, and perhaps a signature. */
const HEAD_BYTES = 384;
/** Where it ends: it is the last member mostly. */
const TAIL_BYTES = 64;
const MEMBER = '"data"';
const OPENING = `${MEMBER}:"`;

export class ChunkLineReader {
  readonly #base64: Base64;
  // Not fatal: what is not UTF-8 has another length than its text, or is refused with the envelope.
  readonly #decoder = new TextDecoder();

  constructor(base64: Base64) {
    this.#base64 = base64;
  }

  /** @returns `undefined` for a line to read as it is, which is not changed */
  read(line: Uint8Array): ChunkLine | undefined {
    const head = this.#textOf(line, 0, HEAD_BYTES);
    const opening = head?.indexOf(OPENING) ?? -1;
    if (!head || opening < 0) return undefined;
    const start = opening + OPENING.length;
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
