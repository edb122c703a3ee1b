/**
 * Reads names (binary format §5.2.4): a length and that many bytes of UTF-8. Keeps the first {@link NAME_KEPT_BYTES} and
 * hashes all of them. One name at a time.
 */
import { copy, isBelow, load8, multiply, store8, store32 } from "../memory.js";
import { invalid, NAME_NOT_UTF8, NAME_TOO_LONG } from "./failures.js";
import { ENTRY_NAME, NAME } from "./layout.js";
import { NAME_KEPT_BYTES, NAME_LIMIT_BYTES } from "./limits.js";
import {
  isContainerSeen,
  isReady,
  limit,
  offset,
  position,
  readUnsigned,
  rejectCut,
  setPosition,
} from "./window.js";

/** Multipliers of the two hashes. Both are FNV-like; the second adds bytes and starts from another basis. */
const FIRST_MULTIPLIER: i32 = 0x0100_0193;
const SECOND_MULTIPLIER: i32 = 0x85eb_ca6b | 0;
const FIRST_BASIS: i32 = 0x811c_9dc5 | 0;
const SECOND_BASIS: i32 = 0x9747_b28c | 0;

/** Results of {@link continueName}. */
export const NAME_COMPLETE: i32 = 1;
const NAME_PARTIAL: i32 = 0;
export const NAME_BROKEN: i32 = -1;

/** Length in bytes of the name, and offset in the module of its first byte. */
export let nameLength: i32 = 0;
export let nameStart: i32 = 0;
export let firstHash: i32 = 0;
export let secondHash: i32 = 0;
let isBegun: boolean = false;
let left: i32 = 0;
/** UTF-8 continuation bytes still expected, and the bounds of the next one (RFC 3629 §4). */
let continuations: i32 = 0;
let least: i32 = 0x80;
let greatest: i32 = 0xbf;
/** Whether {@link continueName} stopped at a byte that is not UTF-8, rather than for want of bytes. */
let isBrokenByte: boolean = false;

export function beginName(): void {
  isBegun = false;
}

/** Reads the available part of a name, whose faults reject the module. @returns whether it is complete */
export function readName(): boolean {
  if (!isBegun) {
    if (!isReady()) return false;
    const at = offset();
    const byteLength = readUnsigned();
    if (isBelow(NAME_LIMIT_BYTES, byteLength)) invalid(NAME_TOO_LONG, at, 0);
    beginNameOf(byteLength);
  }
  const result = continueName();
  if (result === NAME_BROKEN) {
    if (!isBrokenByte) rejectCut();
    invalid(NAME_NOT_UTF8, offset(), 0);
  }
  return result === NAME_COMPLETE;
}

/** Begins a name whose length has been read. */
export function beginNameOf(byteLength: i32): void {
  isBegun = true;
  nameLength = byteLength;
  left = byteLength;
  nameStart = offset();
  firstHash = FIRST_BASIS;
  secondHash = SECOND_BASIS;
  continuations = 0;
  isBrokenByte = false;
  store32(NAME, byteLength);
}

/** @returns whether the name is complete, partial, or broken: then the position is that of the fault */
export function continueName(): i32 {
  const available = limit - position;
  const count = left < available ? left : available;
  if (!readBytes(count)) return NAME_BROKEN;
  if (left === 0) {
    isBrokenByte = continuations > 0;
    return continuations > 0 ? NAME_BROKEN : NAME_COMPLETE;
  }
  return isContainerSeen() ? NAME_BROKEN : NAME_PARTIAL;
}

function readBytes(count: i32): boolean {
  let at = position;
  const end = at + count;
  let kept = nameLength - left;
  while (at < end) {
    const byte = load8(at);
    if ((byte >= 0x80 || continuations > 0) && !follows(byte)) {
      setPosition(at);
      isBrokenByte = true;
      return false;
    }
    firstHash = multiply(firstHash ^ byte, FIRST_MULTIPLIER);
    secondHash = multiply((secondHash + byte + 1) | 0, SECOND_MULTIPLIER);
    if (kept < NAME_KEPT_BYTES) store8(NAME + 4 + kept++, byte);
    at++;
  }
  left -= count;
  setPosition(end);
  return true;
}

/** Checks a byte of a sequence of UTF-8 that has several. */
function follows(byte: i32): boolean {
  if (continuations > 0) {
    if (byte < least || byte > greatest) return false;
    continuations--;
    least = 0x80;
    greatest = 0xbf;
    return true;
  }
  if (byte < 0xc2 || byte > 0xf4) return false;
  continuations = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  least = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
  greatest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
  return true;
}

/** Keeps the name at `address` while the next one is read. */
export function keepName(address: i32): void {
  copy(address, NAME, 4 + NAME_KEPT_BYTES);
}

export function nameByte(index: i32): i32 {
  return load8(NAME + 4 + index);
}

/** Whether the name is that of the entry, of `byteLength` bytes. */
export function isEntryName(byteLength: i32): boolean {
  if (nameLength !== byteLength) return false;
  for (let index: i32 = 0; index < byteLength; index++)
    if (nameByte(index) !== load8(ENTRY_NAME + 4 + index)) return false;
  return true;
}

/** Whether the engine treats a custom section as the name section: it compares the name up to a NUL. */
export function isNameOfNames(): boolean {
  if (nameLength < 4 || nameByte(0) !== 0x6e || nameByte(1) !== 0x61) return false;
  if (nameByte(2) !== 0x6d || nameByte(3) !== 0x65) return false;
  return nameLength === 4 || nameByte(4) === 0;
}
