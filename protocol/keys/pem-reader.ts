/**
 * Blocks of a PEM file (RFC 7468) that comes in pieces. Text outside blocks is passed over. Within a block
 * lines are base64 of any length; white space at their ends is dropped. A block that is broken becomes a
 * problem, and reading goes on after it: what is lost is never lost in silence.
 */
import type { Base64 } from "../../device/ports/bytes.js";
import { BLOCK_LIMIT_CHARACTERS, LINE_LIMIT_CHARACTERS } from "./limits.js";

export type PemItem =
  | { readonly kind: "block"; readonly label: string; readonly line: number; readonly bytes: Uint8Array }
  | { readonly kind: "problem"; readonly line: number; readonly text: string };

const LIMIT_CHARACTERS = BLOCK_LIMIT_CHARACTERS + LINE_LIMIT_CHARACTERS;

/** Room for a key and the line after it; certificates make it grow. */
const START_CHARACTERS = 256;

const LF = 0x0a;
const DASH = 0x2d;
const SPACE = 0x20;
const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";

/** The block that is being read. */
interface OpenBlock {
  readonly label: string;
  readonly line: number;
}

export class PemReader {
  readonly #base64: Base64;
  /** Base64 of the block so far, and after it the line so far. */
  #characters = new Uint8Array(START_CHARACTERS);
  #length = 0;
  #lineStart = 0;
  #line = 1;
  #block: OpenBlock | undefined;
  #isLineTooLong = false;
  #isBlockTooLong = false;

  constructor(base64: Base64) {
    this.#base64 = base64;
  }

  /** Takes the next bytes of the file and gives the items that end in them. */
  write(bytes: Uint8Array, onItem: (item: PemItem) => void): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      const item = byte === LF ? this.#endLine() : this.#append(byte);
      if (item) onItem(item);
    }
  }

  /** Says that the file has ended; its last line may lack its end. */
  end(): PemItem | undefined {
    const item = this.#endLine();
    return item ?? this.#abandon();
  }

  #append(byte: number): undefined {
    if (this.#length === this.#characters.length && this.#length < LIMIT_CHARACTERS) this.#grow();
    if (this.#length < this.#characters.length) this.#characters[this.#length++] = byte;
    else this.#isLineTooLong = true;
  }

  #grow(): void {
    const grown = new Uint8Array(Math.min(2 * this.#length, LIMIT_CHARACTERS));
    grown.set(this.#characters);
    this.#characters = grown;
  }

  #endLine(): PemItem | undefined {
    this.#trim();
    const item = this.#endTrimmedLine(this.#boundary());
    this.#line++;
    this.#isLineTooLong = false;
    return item;
  }

  #endTrimmedLine(boundary: string | undefined): PemItem | undefined {
    if (boundary === undefined) return this.#endBodyLine();
    if (boundary.endsWith(DASHES)) {
      const inner = boundary.slice(0, -DASHES.length);
      if (inner.startsWith(BEGIN)) return this.#open(inner.slice(BEGIN.length));
      if (inner.startsWith(END) && this.#block) return this.#close(this.#block, inner.slice(END.length));
    }
    return this.#strayBoundary(boundary);
  }

  #trim(): void {
    const bytes = this.#characters;
    while (this.#length > this.#lineStart && (bytes[this.#length - 1] as number) <= SPACE) this.#length--;
  }

  /** The line where it may be one: short, and with a dash in its beginning. */
  #boundary(): string | undefined {
    const line = this.#characters.subarray(this.#lineStart, this.#length);
    if (this.#isLineTooLong || line.length > LINE_LIMIT_CHARACTERS) return undefined;
    // A byte order mark may come first: such a line is no boundary, but is to be complained of as one.
    if (!line.subarray(0, DASHES.length).includes(DASH)) return undefined;
    return String.fromCharCode(...line);
  }

  #endBodyLine(): undefined {
    const isTooLong = this.#isLineTooLong || this.#length > BLOCK_LIMIT_CHARACTERS;
    if (this.#block && isTooLong) this.#isBlockTooLong = true;
    if (!this.#block || isTooLong) this.#length = 0;
    this.#lineStart = this.#length;
  }

  #strayBoundary(text: string): PemItem | undefined {
    if (this.#block) return this.#endBodyLine();
    this.#forget();
    if (!text.includes("BEGIN ") && !text.includes("END ")) return undefined;
    return this.#problem(this.#line, "this is no boundary of a block, but looks like one");
  }

  #open(label: string): PemItem | undefined {
    const problem = this.#abandon();
    this.#forget();
    this.#block = { label, line: this.#line };
    return problem;
  }

  #close({ label, line }: OpenBlock, endLabel: string): PemItem {
    const item =
      label === endLabel ? this.#decode(label, line) : this.#problem(line, `${label} ends as ${endLabel}`);
    this.#forget();
    return item;
  }

  #decode(label: string, line: number): PemItem {
    if (this.#isBlockTooLong)
      return this.#problem(line, `${label} has more than ${BLOCK_LIMIT_CHARACTERS} characters`);
    try {
      const text = new TextDecoder().decode(this.#characters.subarray(0, this.#lineStart));
      return { kind: "block", label, line, bytes: new Uint8Array(this.#base64.decode(text)) };
    } catch {
      return this.#problem(line, `${label} is not base64`); // the one reason why decoding fails
    }
  }

  /** What there is to say about a block that does not end. */
  #abandon(): PemItem | undefined {
    const block = this.#block;
    this.#block = undefined;
    return block && this.#problem(block.line, `${block.label} does not end`);
  }

  #forget(): void {
    this.#length = 0;
    this.#lineStart = 0;
    this.#block = undefined;
    this.#isBlockTooLong = false;
  }

  #problem(line: number, text: string): PemItem {
    return { kind: "problem", line, text };
  }
}
