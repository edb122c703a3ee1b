/** The layout of record data (RFC 1035 §3.3, RFC 3596, RFC 2782, RFC 4034 §4.1). */
import { load8 } from "../memory.js";
import { endOf, MALFORMED, measureName } from "./name.js";

const TYPE_A: i32 = 1;
const TYPE_NS: i32 = 2;
const TYPE_CNAME: i32 = 5;
const TYPE_PTR: i32 = 12;
const TYPE_TXT: i32 = 16;
const TYPE_AAAA: i32 = 28;
export const TYPE_SRV: i32 = 33;
const TYPE_NSEC: i32 = 47;

/** RFC 4034 §4.1.2: a window holds 256 types. */
const WINDOW_LIMIT_BYTES: i32 = 32;

/** Offset of the domain name in the data of a record type; -1 if the data has none. */
export function nameOffsetInData(type: i32): i32 {
  switch (type) {
    case TYPE_NS:
    case TYPE_CNAME:
    case TYPE_PTR:
    case TYPE_NSEC:
      return 0;
    case TYPE_SRV:
      return 6;
    default:
      return -1;
  }
}

/**
 * Whether `length` bytes at `offset` of a message of `byteLength` bytes are valid data of `type`. Data of unknown types
 * is always valid.
 */
export function dataIsWellFormed(
  type: i32,
  message: i32,
  byteLength: i32,
  offset: i32,
  length: i32,
): boolean {
  const end: i32 = offset + length;
  if (type === TYPE_A) return length === 4;
  if (type === TYPE_AAAA) return length === 16;
  if (type === TYPE_TXT) return stringsEndAt(message, offset, end);
  const nameAt: i32 = nameOffsetInData(type);
  if (nameAt < 0) return true;
  if (nameAt >= length) return false;
  const measured: i32 = measureName(message, byteLength, offset + nameAt);
  if (measured === MALFORMED) return false;
  return type === TYPE_NSEC ? windowsEndAt(message, endOf(measured), end) : endOf(measured) === end;
}

/** An empty TXT record is one empty string (RFC 6763 §6.1). */
function stringsEndAt(message: i32, offset: i32, end: i32): boolean {
  let at: i32 = offset;
  while (at < end) at += 1 + load8(message + at);
  return at === end;
}

function windowsEndAt(message: i32, offset: i32, end: i32): boolean {
  let at: i32 = offset;
  while (at + 1 < end) {
    const length: i32 = load8(message + at + 1);
    if (length === 0 || length > WINDOW_LIMIT_BYTES) return false;
    at += 2 + length;
  }
  return at === end;
}
