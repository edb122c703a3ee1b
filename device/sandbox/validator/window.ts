/**
 * A sliding view of a module that arrives in pieces. A reader consumes bytes while `isReady()`: then the window holds at
 * least the next {@link ATOM_LIMIT_BYTES}, or everything up to the end of the current container (section or function
 * body). Unread bytes are carried over, so that a reader never stops within a number. Positions are addresses in the input
 * area; offsets count from the start of the module.
 */
import { copy, isBelow, load8 } from "../memory.js";
import { CONTAINER_CUT, invalid, MODULE_CUT, NUMBER_OVER_32, NUMBER_OVER_64 } from "./failures.js";
import { INPUT } from "./layout.js";
import { ATOM_LIMIT_BYTES } from "./limits.js";

/** End of a container that has none, or that ends past any module: sums with an address stay below 2^31. */
export const NO_END: i32 = 0x3fff_ffff;

/** The next byte to read. */
export let position: i32 = INPUT;
/** Where reading must stop: the end of the available bytes or of the container, whichever is first. */
export let limit: i32 = INPUT;
/** End of the available bytes. */
export let end: i32 = INPUT;
/** Offset in the module where the current container ends. */
export let containerEnd: i32 = NO_END;
/** Offset minus position. */
let shift: i32 = 0;
let isLast: boolean = false;

export function resetWindow(): void {
  position = INPUT;
  end = INPUT;
  shift = -INPUT;
  isLast = false;
  enter(NO_END);
}

/** `byteLength` bytes have been written to {@link end}. */
export function grow(byteLength: i32): void {
  end += byteLength;
  enter(containerEnd);
}

/** No bytes follow. */
export function endInput(): void {
  isLast = true;
}

/** Moves the unread bytes to the start of the input area. */
export function keepUnread(): void {
  const length = end - position;
  copy(INPUT, position, length);
  shift += position - INPUT;
  position = INPUT;
  end = INPUT + length;
  enter(containerEnd);
}

/** Sets where the current section or body ends. */
export function enter(offset: i32): void {
  containerEnd = offset;
  limit = offset - shift;
  if (limit > end) limit = end;
}

/** Offset at which `byteLength` bytes from here end, as {@link enter} takes it. @param byteLength unsigned */
export function endAfter(byteLength: i32): i32 {
  return isBelow(byteLength, NO_END - offset()) ? offset() + byteLength : NO_END;
}

/** Offset in the module of the next byte. */
export function offset(): i32 {
  return position + shift;
}

/** Offset in the module of the byte at `address`. */
export function offsetOf(address: i32): i32 {
  return address + shift;
}

/** Position of the byte at `moduleOffset`. */
export function positionOf(moduleOffset: i32): i32 {
  return moduleOffset - shift;
}

export function setPosition(address: i32): void {
  position = address;
}

/** Whether the current container is available to its end. */
export function isContainerSeen(): boolean {
  return isLast || containerEnd <= end + shift;
}

/** Whether the next item is available in full. */
export function isReady(): boolean {
  return end - position >= ATOM_LIMIT_BYTES || isContainerSeen();
}

/** An item that begins below this position is available in full. */
export function atomLimit(): i32 {
  return isContainerSeen() ? limit : end - ATOM_LIMIT_BYTES + 1;
}

/** The module or the container ends too early. */
export function rejectCut(): void {
  invalid(containerEnd <= end + shift ? CONTAINER_CUT : MODULE_CUT, limit + shift, 0);
}

export function readByte(): i32 {
  if (position >= limit) rejectCut();
  return load8(position++);
}

/** Reads a `u32` in LEB128 (binary format §5.2.2): at most five bytes, and no bit past the 32nd. */
export function readUnsigned(): i32 {
  const start = position;
  let byte = readByte();
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  for (let bits: i32 = 7; bits < 28; bits += 7) {
    byte = readByte();
    value |= (byte & 0x7f) << bits;
    if (byte < 0x80) return value;
  }
  byte = readByte();
  if (byte > 0x0f) invalid(NUMBER_OVER_32, start + shift, 0);
  return value | (byte << 28);
}

/** Reads an `i32` in signed LEB128. */
export function readSigned(): i32 {
  let value: i32 = 0;
  for (let bits: i32 = 0; bits < 28; bits += 7) {
    const byte = readByte();
    value |= (byte & 0x7f) << bits;
    if (byte < 0x80) return (value << (25 - bits)) >> (25 - bits);
  }
  const byte = readByte();
  const isWrong = (byte & 0x08) !== 0 ? byte < 0x78 || byte > 0x7f : byte > 0x07;
  if (isWrong) invalid(NUMBER_OVER_32, offset() - 1, 0);
  return value | (byte << 28);
}

/** Skips an `i64` in signed LEB128; its value is unused. */
export function skipSigned64(): void {
  for (let count: i32 = 0; count < 9; count++) if (readByte() < 0x80) return;
  const byte = readByte();
  if (byte !== 0 && byte !== 0x7f) invalid(NUMBER_OVER_64, offset() - 1, 0);
}

export function skip(byteLength: i32): void {
  if (limit - position < byteLength) rejectCut();
  position += byteLength;
}
