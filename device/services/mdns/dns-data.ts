/** Checks the data of records whose layout we know (RFC 1035 §3.3, RFC 2782, RFC 4034 §4.1). */
import { nameOffsetInData, TYPE_A, TYPE_AAAA, TYPE_NSEC, TYPE_TXT } from "./dns-types.js";
import { endOfName } from "./domain-name.js";

/** RFC 4034 §4.1.2: a window holds 256 types. */
const WINDOW_LIMIT_BYTES = 32;

/** Whether `length` bytes at `offset` of a message are data of `type`; unknown types hold anything. */
export function dataIsWellFormed(type: number, message: Uint8Array, offset: number, length: number): boolean {
  const end = offset + length;
  if (type === TYPE_A) return length === 4;
  if (type === TYPE_AAAA) return length === 16;
  if (type === TYPE_TXT) return stringsEndAt(message, offset, end);
  const nameAt = nameOffsetInData(type);
  if (nameAt === undefined) return true;
  if (nameAt >= length) return false;
  const nameEnd = endOfName(message, offset + nameAt);
  return type === TYPE_NSEC ? windowsEndAt(message, nameEnd, end) : nameEnd === end;
}

/** An empty TXT record is one empty string (RFC 6763 §6.1). */
function stringsEndAt(message: Uint8Array, offset: number, end: number): boolean {
  let at = offset;
  while (at < end) at += 1 + (message[at] as number);
  return at === end;
}

function windowsEndAt(message: Uint8Array, offset: number, end: number): boolean {
  if (offset < 0) return false;
  let at = offset;
  while (at + 1 < end) {
    const length = message[at + 1] as number;
    if (length === 0 || length > WINDOW_LIMIT_BYTES) return false;
    at += 2 + length;
  }
  return at === end;
}
