/**
 * Cutting the data out of a line, in TypeScript, as consoles did it before the program `device/sandbox/usb-line`.
 */
import type { Base64 } from "../../../protocol/ports/runtime.js";

interface ChunkLine {
  /** The line without its data: a view of the line's memory, in which the rest was moved over the data. */
  readonly envelope: Uint8Array;
  readonly data: Uint8Array;
}

/** Part of a line in which `data` must begin: after a few short members, and possibly a signature. */
const HEAD_BYTES = 384;
/** Part of a line in which `data` must end: it is usually the last member. */
const TAIL_BYTES = 64;
const MEMBER = '"data"';
const CHUNK_OPENING = `${MEMBER}:"`;

export class ChunkLineReader {
  readonly #base64: Base64;
  // Not fatal: bytes that are not UTF-8 differ in length from their text, or fail with the envelope.
  readonly #decoder = new TextDecoder();

  constructor(base64: Base64) {
    this.#base64 = base64;
  }

  /** @returns `undefined` if the line, then unchanged, must be parsed as a whole */
  read(line: Uint8Array): ChunkLine | undefined {
    const head = this.#textOf(line, 0, HEAD_BYTES);
    const opening = head?.indexOf(CHUNK_OPENING) ?? -1;
    if (!head || opening < 0) return undefined;
    const start = opening + CHUNK_OPENING.length;
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
      return undefined; // the parser of the whole line reports the error
    }
  }

  /** The text of a range of bytes; `undefined` if their positions differ: not every character is one byte. */
  #textOf(line: Uint8Array, start: number, end: number): string | undefined {
    const bytes = line.subarray(start, end);
    const text = this.#decoder.decode(bytes);
    return text.length === bytes.length ? text : undefined;
  }
}

function isPlain(text: string): boolean {
  return !text.includes("\\") && !text.includes(MEMBER);
}
