/**
 * Reads the blocks of a PEM file (RFC 7468) that arrives in pieces. Text outside blocks is skipped, except roles lines,
 * which apply to the next block. A line that looks like a roles line but is invalid makes that block a problem. A roles
 * line inside a block (whose end is then missing) also applies to the next block. Lines in a block are base64 of any
 * length; trailing white space is dropped. An invalid block is reported as a problem, and reading continues after it,
 * so no key is dropped silently.
 */
import type { Base64 } from "../ports/runtime.js";

/** Base64 of one PEM block: a certificate with an Ed25519 key has 400 to 1,000 characters. */
export const BLOCK_LIMIT_CHARACTERS = 4096;

/** A roles line or a block boundary; longer lines are neither. */
const LINE_LIMIT_CHARACTERS = 128;

/**
 * Signature checks to find the certificate chains of a file; each takes a few milliseconds
 * (docs/spec/keys.md#any-number).
 */
export const SIGNATURE_CHECKS_LIMIT = 64;

/** Problems reported per file; each is one line of the log. */
export const PROBLEMS_LIMIT = 16;

/**
 * What a trusted key can sign (docs/spec/keys.md#roles). A line `# roles: app, firmware` before a PEM block gives its
 * key those roles and no others; a key without such a line has all roles.
 *
 * A set of roles is a bit mask. One more bit means that no roles line is present. The sets of a certificate chain are
 * intersected with `&`, so that bit remains only if no certificate of the chain has a roles line.
 */
export type KeyRole = "app" | "firmware" | "hub" | "native";

export const KEY_ROLES: readonly KeyRole[] = Object.freeze(["app", "firmware", "hub", "native"] as const);

/** A set of roles. A key without any role is not used. */
export type RoleSet = number;

const UNSTATED_BIT = 1 << KEY_ROLES.length;
const EVERY_ROLE = UNSTATED_BIT - 1;

/** Roles of a key without a roles line. */
export const UNSTATED_ROLES: RoleSet = EVERY_ROLE | UNSTATED_BIT;

const LINE_START = "# roles:";

/** Lists of roles by bit mask, shared so that a key does not need a list of its own. */
const LISTS: readonly (readonly KeyRole[])[] = Object.freeze(
  Array.from({ length: EVERY_ROLE + 1 }, (_, roles) =>
    Object.freeze(KEY_ROLES.filter((role) => (roles & bitOf(role)) !== 0)),
  ),
);

/** @returns 0 for an invalid roles line, so that a mistake disables the key instead of giving it more roles */
export function readRolesLine(line: string): RoleSet {
  if (!line.startsWith(LINE_START)) return 0;
  let roles = 0;
  for (const word of line.slice(LINE_START.length).split(",")) {
    const at = (KEY_ROLES as readonly string[]).indexOf(word.trim());
    if (at < 0) return 0;
    roles |= 1 << at;
  }
  return roles;
}

/** A roles line for the key that follows it, with line end. */
export function rolesLine(roles: readonly KeyRole[]): string {
  return `${LINE_START} ${roles.join(", ")}\n`;
}

export function hasRole(roles: RoleSet, role: KeyRole): boolean {
  return (roles & bitOf(role)) !== 0;
}

export function rolesOf(roles: RoleSet): readonly KeyRole[] {
  return LISTS[roles & EVERY_ROLE] as readonly KeyRole[];
}

/** Whether a roles line stated these roles, for the key itself or for a certificate of its chain. */
export function areStated(roles: RoleSet): boolean {
  return (roles & UNSTATED_BIT) === 0;
}

function bitOf(role: KeyRole): number {
  return 1 << KEY_ROLES.indexOf(role);
}

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

/** Initial buffer: room for a public key and the line after it. Certificates make it grow. */
const START_CHARACTERS = 256;

const LF = 0x0a;
const DASH = 0x2d;
const SPACE = 0x20;
const HASH = 0x23;
const COLON = 0x3a;
const TAB = 0x09;
const TILDE = 0x7e;
const UPPER_R = 0x52;
const LOWER_R = 0x72;
const ROLE = /role/i;
const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";

const TEXT_PIECE_BYTES = 32;

/** The block being read. */
interface OpenBlock {
  readonly label: string;
  readonly line: number;
  readonly roles: RoleSet;
}

export class PemReader {
  readonly #base64: Base64;
  /** Base64 of the block so far, followed by the current line. */
  #characters = new Uint8Array(START_CHARACTERS);
  #length = 0;
  #lineStart = 0;
  #line = 1;
  #block: OpenBlock | undefined;
  /** Roles of the next block, from the roles lines since the last block. */
  #roles = UNSTATED_ROLES;
  #isLineTooLong = false;
  #isBlockTooLong = false;

  constructor(base64: Base64) {
    this.#base64 = base64;
  }

  /** Process the next bytes of the file; calls `onItem` for each item that ends in them. */
  write(bytes: Uint8Array, onItem: (item: PemItem) => void): void {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LF, at);
      this.#append(bytes.subarray(at, end < 0 ? bytes.length : end));
      if (end < 0) return;
      const item = this.#endLine();
      if (item) onItem(item);
      at = end + 1;
    }
  }

  /** Signal the end of the file; its last line can lack a line end. @returns the last item, if there is one */
  end(): PemItem | undefined {
    const item = this.#endLine();
    return item ?? this.#abandon() ?? this.#strayRoles();
  }

  /** Append bytes to the current line, as many as fit. */
  #append(bytes: Uint8Array): void {
    this.#growTo(this.#length + bytes.length);
    const room = this.#characters.length - this.#length;
    if (bytes.length > room) this.#isLineTooLong = true;
    this.#characters.set(bytes.subarray(0, room), this.#length);
    this.#length += Math.min(bytes.length, room);
  }

  #growTo(wanted: number): void {
    let length = this.#characters.length;
    if (wanted <= length) return;
    while (length < wanted && length < LIMIT_CHARACTERS) length = Math.min(2 * length, LIMIT_CHARACTERS);
    const grown = new Uint8Array(length);
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
   * Apply the current line if it looks like a roles line. Recognition is deliberately broad: an unrecognized roles line
   * would leave the key all roles. Several roles lines before one block are intersected.
   */
  #takeRoles(): void {
    const line = this.#characters.subarray(this.#lineStart, this.#length);
    // Base64 can contain "role", but none of these characters.
    if (this.#block && !line.includes(HASH) && !line.includes(COLON) && !line.includes(SPACE)) return;
    // The end of an overlong line is not kept and could contain anything.
    if (!this.#isLineTooLong && !isLikeRoles(line)) return;
    const isTooLong = this.#isLineTooLong || line.length > LINE_LIMIT_CHARACTERS;
    this.#roles &= isTooLong ? 0 : readRolesLine(textOf(line));
  }

  #strayRoles(): PemItem | undefined {
    if (this.#roles === UNSTATED_ROLES) return undefined;
    return this.#problem(this.#line - 1, "no block follows the roles line before this");
  }

  /** The current line if it can be a block boundary: short, with a dash near its start. */
  #boundary(): string | undefined {
    const line = this.#characters.subarray(this.#lineStart, this.#length);
    if (this.#isLineTooLong || line.length > LINE_LIMIT_CHARACTERS) return undefined;
    // A line with a byte order mark in front is not a boundary, but must be reported as looking like one.
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
    return this.#problem(this.#line, "this is not a boundary of a block, but looks like one");
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
      return this.#problem(line, `${label} is not base64`); // the only reason for decoding to fail
    }
  }

  /** Drop the open block, if any. @returns the problem that it does not end */
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
 * Whether a person could take the line for a roles line: it contains "role", or a `#` with non-ASCII or control
 * characters, which can look like letters of that word or like spaces.
 */
function isLikeRoles(line: Uint8Array): boolean {
  if (line.includes(HASH) && !line.every(isPlain)) return true;
  if (!line.includes(UPPER_R) && !line.includes(LOWER_R)) return false; // spares most lines their text
  const text = textOf(line);
  return ROLE.test(text) && !(text.endsWith(DASHES) && (text.startsWith(BEGIN) || text.startsWith(END)));
}

function isPlain(byte: number): boolean {
  return (byte >= SPACE && byte <= TILDE) || byte === TAB;
}

/**
 * Convert each byte to a character, in pieces: the arguments go on XS's stack of 768 slots. One call per byte would
 * take 1,500 instructions each.
 */
function textOf(line: Uint8Array): string {
  let text = "";
  for (let at = 0; at < line.length; at += TEXT_PIECE_BYTES)
    text += Reflect.apply(String.fromCharCode, undefined, line.subarray(at, at + TEXT_PIECE_BYTES));
  return text;
}
