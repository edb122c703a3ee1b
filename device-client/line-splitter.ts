/**
 * Splits input into lines that end in LF. Drops every CR, empty lines, and lines that are too long, each up to its end.
 */
import { INPUT_LINE_LIMIT_BYTES } from "./limits.js";

const LF = 0x0a;

export class LineSplitter {
  readonly #limitBytes: number;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isDropping = false;
  #droppedLines = 0;

  constructor(limitBytes = INPUT_LINE_LIMIT_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** Number of lines dropped for their length. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /**
   * @param bytes may be reused by the caller afterwards
   * @returns the lines that end in `bytes`, without their line ends
   */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      this.#add(bytes.subarray(start, end));
      const line = this.#take();
      if (line !== "") lines.push(line);
      start = end + 1;
    }
    this.#add(new Uint8Array(bytes.subarray(start)));
    return lines;
  }

  #add(bytes: Uint8Array): void {
    if (this.#isDropping || bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length > this.#limitBytes) this.#drop();
  }

  #drop(): void {
    this.#isDropping = true;
    this.#droppedLines++;
    this.#pieces = [];
    this.#length = 0;
  }

  #take(): string {
    const line = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      line.set(piece, offset);
      offset += piece.length;
    }
    this.#pieces = [];
    this.#length = 0;
    this.#isDropping = false;
    return this.#decoder.decode(line).replaceAll("\r", "");
  }
}
