/**
 * One header block of a tar archive (POSIX.1-2017 pax, "ustar Interchange Format"), with what GNU tar and
 * the tar of Unix version 7 do differently. Only what says where a member ends and what it is gets read;
 * owners, modes and times have no meaning in a package.
 */
import { Fault } from "../fault.js";

// Names of tar members as text that is safe in messages, whatever bytes an attacker has chosen.

/** Longer names are cut: none that is taken is nearly as long. */
const SHOWN_BYTES = 100;

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/**
 * The bytes as printable ASCII: others are written as `\xNN`, as are quotes and backslashes, so that
 * two names never look the same and none looks like a plain one that it is not.
 */
export function memberName(bytes: Uint8Array): string {
  let name = "";
  const shown = Math.min(bytes.length, SHOWN_BYTES);
  for (let at = 0; at < shown; at++) name += shownByte(bytes[at] as number);
  return bytes.length > SHOWN_BYTES ? `${name}\\...` : name;
}

function shownByte(byte: number): string {
  const isPlain = byte > 0x1f && byte < 0x7f && byte !== BACKSLASH && byte !== QUOTE;
  return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
}

// The records of a pax extended header (POSIX.1-2017 pax, "pax Header Block"): `LENGTH KEY=VALUE\n`, one
// after another, where the length counts the whole record. Keys without a meaning here are skipped: times,
// owners and what each system adds of its own.

/** What an extended header says instead of the header block that follows it. */
interface PaxRecords {
  readonly name: Uint8Array | undefined;
  readonly byteLength: number | undefined;
}

const EQUALS = 0x3d;
const LINE_FEED = 0x0a;
/** More digits than any record within the limit of extended headers, or any size that counts, has. */
const DIGITS_LIMIT = 15;

/** Keys of GNU tar's sparse files, whose content is not what is stored; longer than the keys that count. */
const SPARSE = "GNU.sparse.";

/**
 * A record that comes later wins, and an empty value takes back what an earlier one said.
 * @throws {Fault} `package_invalid` for what are no records, or a sparse file
 */
export function readPaxRecords(bytes: Uint8Array): PaxRecords {
  let name: Uint8Array | undefined;
  let byteLength: number | undefined;
  let start = 0;
  while (start < bytes.length) {
    const space = bytes.indexOf(SPACE, start);
    const end = start + decimal(bytes.subarray(start, Math.max(start, space)), "length of a record");
    const equals = bytes.indexOf(EQUALS, space);
    if (equals < 0 || equals >= end || end > bytes.length || bytes[end - 1] !== LINE_FEED)
      throw damagedPax("a record is not what its length says");
    const key = keyOf(bytes.subarray(space + 1, equals));
    const value = bytes.subarray(equals + 1, end - 1);
    if (key === SPARSE) throw damagedPax("it describes a sparse file");
    if (key === "path") name = value.length > 0 ? value : undefined;
    if (key === "size") byteLength = value.length > 0 ? decimal(value, "size") : undefined;
    start = end;
  }
  return { name, byteLength };
}

/** As much of a key as the longest that counts has. */
function keyOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, SPARSE.length));
}

function decimal(digits: Uint8Array, what: string): number {
  let value = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = (digits[at] as number) - 0x30;
    if (digit < 0 || digit > 9) throw damagedPax(`the ${what} is not a number`);
    value = value * 10 + digit;
  }
  if (digits.length === 0 || digits.length > DIGITS_LIMIT) throw damagedPax(`the ${what} is not a number`);
  return value;
}

function damagedPax(reason: string): Fault {
  return new Fault("package_invalid", `Cannot read an extended header of the package: ${reason}`);
}

export const BLOCK_BYTES = 512;

export interface TarHeader {
  /** The prefix, if there is one, a slash, and the name. A view of, or a copy from, the block. */
  readonly name: Uint8Array;
  /** `0` for a plain file; version 7 writes a zero byte for that. */
  readonly type: string;
  readonly byteLength: number;
}

/** A field of the block: where it begins and how long it is. */
type Field = readonly [offset: number, byteLength: number];
const NAME: Field = [0, 100];
const SIZE: Field = [124, 12];
const CHECKSUM: Field = [148, 8];
const MAGIC: Field = [257, 6];
const PREFIX: Field = [345, 155];
const TYPE_AT = 156;

const SPACE = 0x20;
const SLASH = 0x2f;
const ZERO = 0x30;
const SEVEN = 0x37;

/**
 * @throws {Fault} `package_invalid` for an invalid header block. The sum is of unsigned bytes, as POSIX
 *   has it: tars that sum signed ones are gone, and differ only for names that no package has
 */
export function readTarHeader(block: Uint8Array): TarHeader {
  if (octal(block, CHECKSUM, "checksum") !== checksum(block))
    throw damaged("the checksum of a header is wrong");
  const type = block[TYPE_AT] as number;
  return {
    name: fullName(block),
    type: type === 0 ? "0" : String.fromCharCode(type),
    byteLength: (block[SIZE[0]] as number) >= 0x80 ? binary(block, SIZE) : octal(block, SIZE, "size"),
  };
}

/** Whether there is nothing but zeros; two such blocks end an archive. */
export function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) return false;
  return true;
}

function checksum(block: Uint8Array): number {
  let sum = CHECKSUM[1] * SPACE; // the sum itself counts as spaces
  for (let at = 0; at < BLOCK_BYTES; at++) sum += block[at] as number;
  for (let at = CHECKSUM[0]; at < CHECKSUM[0] + CHECKSUM[1]; at++) sum -= block[at] as number;
  return sum;
}

/** Digits, with spaces before them in old archives, up to a space, a zero byte or the end of the field. */
function octal(block: Uint8Array, [offset, byteLength]: Field, what: string): number {
  const end = offset + byteLength;
  let at = offset;
  while (at < end && block[at] === SPACE) at++;
  const first = at;
  let value = 0;
  for (; at < end && (block[at] as number) >= ZERO && (block[at] as number) <= SEVEN; at++)
    value = value * 8 + (block[at] as number) - ZERO;
  const hasDigits = at > first;
  while (at < end && (block[at] === SPACE || block[at] === 0)) at++;
  if (!hasDigits || at < end) throw damaged(`the ${what} of a header is not an octal number`);
  return value;
}

/** GNU tar's form for sizes from 8 GiB on: a bit, then the number with its highest byte first. */
function binary(block: Uint8Array, [offset, byteLength]: Field): number {
  if (block[offset] !== 0x80) throw damaged("the size of a header is negative");
  let value = 0;
  for (let at = offset + 1; at < offset + byteLength; at++) value = value * 256 + (block[at] as number);
  if (value > Number.MAX_SAFE_INTEGER) throw damaged("the size of a header is not a size");
  return value;
}

function fullName(block: Uint8Array): Uint8Array {
  const name = text(block, NAME);
  const prefix = hasPrefix(block) ? text(block, PREFIX) : block.subarray(0, 0);
  if (prefix.length === 0) return name;
  const full = new Uint8Array(prefix.length + 1 + name.length);
  full.set(prefix);
  full[prefix.length] = SLASH;
  full.set(name, prefix.length + 1);
  return full;
}

/** GNU tar has times where ustar has the prefix, and version 7 has nothing there or in place of the magic. */
function hasPrefix(block: Uint8Array): boolean {
  const magic = String.fromCharCode(...field(block, MAGIC));
  if (magic === "ustar\0") return true;
  if (magic !== "ustar " && magic !== "\0\0\0\0\0\0") throw damaged("a header is of an unknown format");
  return false;
}

/** Up to the first zero byte; a name that fills its field has none. */
function text(block: Uint8Array, position: Field): Uint8Array {
  const bytes = field(block, position);
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function field(block: Uint8Array, [offset, byteLength]: Field): Uint8Array {
  return block.subarray(offset, offset + byteLength);
}

function damaged(reason: string): Fault {
  return new Fault("package_invalid", `Cannot read the package as tar: ${reason}`);
}
