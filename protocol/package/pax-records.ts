/**
 * The records of a pax extended header (POSIX.1-2017 pax, "pax Header Block"): `LENGTH KEY=VALUE\n`, one
 * after another, where the length counts the whole record. Keys without a meaning here are skipped: times,
 * owners and what each system adds of its own.
 */
import { Fault } from "../fault.js";

/** What an extended header says instead of the header block that follows it. */
export interface PaxRecords {
  readonly name: Uint8Array | undefined;
  readonly byteLength: number | undefined;
}

const SPACE = 0x20;
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
      throw damaged("a record is not what its length says");
    const key = keyOf(bytes.subarray(space + 1, equals));
    const value = bytes.subarray(equals + 1, end - 1);
    if (key === SPARSE) throw damaged("it describes a sparse file");
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
    if (digit < 0 || digit > 9) throw damaged(`the ${what} is no number`);
    value = value * 10 + digit;
  }
  if (digits.length === 0 || digits.length > DIGITS_LIMIT) throw damaged(`the ${what} is no number`);
  return value;
}

function damaged(reason: string): Fault {
  return new Fault("package_invalid", `Cannot read an extended header of the package: ${reason}`);
}
