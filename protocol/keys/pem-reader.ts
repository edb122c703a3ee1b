/**
 * Blocks of a PEM file (RFC 7468) that comes in pieces. Text outside blocks is passed over, but for roles lines: they
 * belong to the next block. What looks like one and cannot be read makes that block a problem. A roles line within a
 * block, which then lacks its end, belongs to the next block too. Within a block lines are base64 of any length; white space at their ends is dropped. A block that is broken becomes a
 * problem, and reading goes on after it: what is lost is never lost in silence.
 */
import type { Base64 } from "../ports/bytes.js";
import { type RoleSet, readRolesLine, UNSTATED_ROLES } from "./key-role.js";
import { BLOCK_LIMIT_CHARACTERS, LINE_LIMIT_CHARACTERS } from "./limits.js";

export interface PemBlock {
  readonly kind: "block";
  readonly label: string;
  readonly line: number;
  readonly bytes: Uint8Array;
  /** Never empty. */
  readonly roles: RoleSet;
}

export type PemItem = PemBlock | { readonly kind: "problem"; readonly line: number; readonly text: string };

const LIMIT_CHARACTERS = BLOCK_LIMIT_CHARACTERS + LINE_LIMIT_CHARACTERS;

/** Room for a key and the line after it; certificates make it grow. */
const START_CHARACTERS = 256;

const LF = 0x0a;
const DASH = 0x2d;
const SPACE = 0x20;
const HASH = 0x23;
const COLON = 0x3a;
const TAB = 0x09;
const TILDE = 0x7e;
const ROLE = /role/i;
const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";

/** The block that is being read. */
interface OpenBlock {
  readonly label: string;
  readonly line: number;
  readonly roles: RoleSet;
}

export class PemReader {
  readonly #base64: Base64;
  /** Base64 of the block so far, and after it the line so far. */
  #characters = new Uint8Array(START_CHARACTERS);
  #length = 0;
  #lineStart = 0;
  #line = 1;
  #block: OpenBlock | undefined;
  /** Of the next block, by the roles lines since the last one. */
  #roles = UNSTATED_ROLES;
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
    return item ?? this.#abandon() ?? this.#strayRoles();
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
    this.#takeRoles();
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

  /**
   * Takes the line where it may be one of roles, and nothing for granted: a line that is not known for what it
   * is would leave the key every role. Several before one block are intersected.
   */
  #takeRoles(): void {
    const line = this.#characters.subarray(this.#lineStart, this.#length);
    // Base64 may spell "role", but has none of these.
    if (this.#block && !line.includes(HASH) && !line.includes(COLON) && !line.includes(SPACE)) return;
    // What stands at the end of an endless line has not been kept.
    if (!this.#isLineTooLong && !isLikeRoles(line)) return;
    const isTooLong = this.#isLineTooLong || line.length > LINE_LIMIT_CHARACTERS;
    this.#roles &= isTooLong ? 0 : readRolesLine(textOf(line));
  }

  #strayRoles(): PemItem | undefined {
    if (this.#roles === UNSTATED_ROLES) return undefined;
    return this.#problem(this.#line - 1, "no block follows the roles line before this");
  }

  /** The line where it may be one: short, and with a dash in its beginning. */
  #boundary(): string | undefined {
    const line = this.#characters.subarray(this.#lineStart, this.#length);
    if (this.#isLineTooLong || line.length > LINE_LIMIT_CHARACTERS) return undefined;
    // A byte order mark may come first: such a line is no boundary, but is to be complained of as one.
    if (!line.subarray(0, DASHES.length).includes(DASH)) return undefined;
    return textOf(line);
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
    this.#block = { label, line: this.#line, roles: this.#roles };
    this.#roles = UNSTATED_ROLES;
    return problem;
  }

  #close(block: OpenBlock, endLabel: string): PemItem {
    const { label, line } = block;
    const item =
      label === endLabel ? this.#decode(block) : this.#problem(line, `${label} ends as ${endLabel}`);
    this.#forget();
    return item;
  }

  #decode({ label, line, roles }: OpenBlock): PemItem {
    if (roles === 0)
      return this.#problem(
        line,
        `${label} is not used: its roles line names no role, one that is not known, or is not written exactly`,
      );
    if (this.#isBlockTooLong)
      return this.#problem(line, `${label} has more than ${BLOCK_LIMIT_CHARACTERS} characters`);
    try {
      const text = new TextDecoder().decode(this.#characters.subarray(0, this.#lineStart));
      return { kind: "block", label, line, bytes: new Uint8Array(this.#base64.decode(text)), roles };
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

/**
 * Whether people may take the line for one of roles: it has the word, or a `#` with characters that may look like those
 * of the word, or like a space.
 */
function isLikeRoles(line: Uint8Array): boolean {
  if (line.includes(HASH) && !line.every(isPlain)) return true;
  const text = textOf(line);
  return ROLE.test(text) && !(text.endsWith(DASHES) && (text.startsWith(BEGIN) || text.startsWith(END)));
}

function isPlain(byte: number): boolean {
  return (byte >= SPACE && byte <= TILDE) || byte === TAB;
}

/** Not by spreading the line: its 128 values would go on a stack that has 768. */
function textOf(line: Uint8Array): string {
  let text = "";
  for (let at = 0; at < line.length; at++) text += String.fromCharCode(line[at] as number);
  return text;
}
