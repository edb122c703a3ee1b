/**
 * Domain names within a message (RFC 1035 §3.1 and §4.1.4): checked once by {@link measureName}, then compared and
 * copied without checks. Offsets count from the message, addresses from the memory.
 */
import { load8, store8 } from "../memory.js";

/** RFC 1035 §2.3.4. */
const LABEL_LIMIT_BYTES: i32 = 63;
/** RFC 1035 §2.3.4, including length bytes and root. */
const NAME_LIMIT_BYTES: i32 = 255;
/**
 * Compression pointers to follow within one name. A writer uses one for a name that it has written before, and that
 * name can end in another pointer. Without a limit, a message whose names are chains of a hundred pointers takes as
 * long to read as a hundred messages.
 */
const POINTERS_PER_NAME_LIMIT: i32 = 10;

/** A length byte of at least this value is the first half of a pointer (RFC 1035 §4.1.4). */
export const POINTER_MARK: i32 = 0xc0;

/** What {@link measureName} returns for a malformed name. */
export const MALFORMED: i32 = -1;

/**
 * Checks the name at `offset` of a message of `byteLength` bytes. A pointer must lead to an offset before the piece
 * that it ends. So each step goes backwards, and a loop is impossible.
 * @returns the {@link endOf} the name and its {@link lengthOf}, or {@link MALFORMED}
 */
export function measureName(message: i32, byteLength: i32, offset: i32): i32 {
  let at: i32 = offset;
  let pieceStart: i32 = offset;
  let end: i32 = -1;
  let totalBytes: i32 = 1;
  let pointers: i32 = 0;
  while (at < byteLength) {
    const length: i32 = load8(message + at);
    if (length === 0) return (totalBytes << 16) | (end < 0 ? at + 1 : end);
    if (length <= LABEL_LIMIT_BYTES) {
      totalBytes += 1 + length;
      if (totalBytes > NAME_LIMIT_BYTES) return MALFORMED;
      at += 1 + length;
      continue;
    }
    if (length < POINTER_MARK || at + 1 >= byteLength) return MALFORMED;
    if (end < 0) end = at + 2;
    at = pointerTarget(message + at);
    pointers++;
    if (at >= pieceStart || pointers > POINTERS_PER_NAME_LIMIT) return MALFORMED;
    pieceStart = at;
  }
  return MALFORMED;
}

/** Offset behind a measured name, or behind the first pointer in it. */
export function endOf(measured: i32): i32 {
  return measured & 0xffff;
}

/** Bytes of a measured name when uncompressed. */
export function lengthOf(measured: i32): i32 {
  return measured >> 16;
}

/**
 * Whether the name at `offset` of a message equals the uncompressed one at address `name`, ignoring ASCII case.
 * {@link measureName} must have accepted the name in the message.
 */
export function nameMatches(message: i32, offset: i32, name: i32): boolean {
  let at: i32 = message + offset;
  let position: i32 = name;
  for (let length: i32 = load8(at); length !== 0; length = load8(at)) {
    if (length >= POINTER_MARK) {
      at = message + pointerTarget(at);
      continue;
    }
    if (length !== load8(position) || !sameText(at + 1, position + 1, length)) return false;
    at += 1 + length;
    position += 1 + length;
  }
  return load8(position) === 0;
}

/**
 * Copies the name at `offset` of a message to address `to`, uncompressed. {@link measureName} must have accepted it.
 * @returns its length
 */
export function copyName(message: i32, offset: i32, to: i32): i32 {
  let at: i32 = message + offset;
  let position: i32 = to;
  for (let length: i32 = load8(at); length !== 0; length = load8(at)) {
    if (length >= POINTER_MARK) {
      at = message + pointerTarget(at);
      continue;
    }
    for (let index: i32 = 0; index <= length; index++) store8(position + index, load8(at + index));
    at += 1 + length;
    position += 1 + length;
  }
  store8(position, 0);
  return position + 1 - to;
}

/** Whether `length` bytes at two addresses are equal, ignoring ASCII case. */
export function sameText(one: i32, other: i32, length: i32): boolean {
  for (let index: i32 = 0; index < length; index++) {
    const left: i32 = load8(one + index);
    const right: i32 = load8(other + index);
    if (left !== right && foldCase(left) !== foldCase(right)) return false;
  }
  return true;
}

/** Converts an ASCII letter to lower case; returns other bytes unchanged. */
function foldCase(byte: i32): i32 {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

function pointerTarget(address: i32): i32 {
  return ((load8(address) & 0x3f) << 8) | load8(address + 1);
}
