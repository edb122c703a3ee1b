/** Domain names in wire form (RFC 1035 §3.1): what the sandboxed program `dns` is compared with. */
import type { DomainName } from "../../../device/services/mdns/domain-name.js";

/** RFC 1035 §2.3.4. */
const LABEL_LIMIT_BYTES = 63;

/** RFC 1035 §2.3.4, including length bytes and root. */
const NAME_LIMIT_BYTES = 255;

/**
 * Compression pointers to follow within one name. A writer uses one for a name that it has written before, and that
 * name can end in another pointer. Without a limit, a message whose names are chains of a hundred pointers takes as
 * long to read as a hundred messages.
 */
const POINTERS_PER_NAME_LIMIT = 10;

/** A length byte of at least this value is the first half of a pointer (RFC 1035 §4.1.4). */
export const POINTER_MARK = 0xc0;

/**
 * End of the name at `offset`, or -1 if it is malformed. A pointer must lead to an offset before the piece that it
 * ends. So each step goes backwards, and a loop is impossible.
 */
export function endOfName(message: Uint8Array, offset: number): number {
  let at = offset;
  let pieceStart = offset;
  let end = -1;
  let totalBytes = 1;
  let pointers = 0;
  while (at < message.length) {
    const length = message[at] as number;
    if (length === 0) return end < 0 ? at + 1 : end;
    if (length <= LABEL_LIMIT_BYTES) {
      totalBytes += 1 + length;
      if (totalBytes > NAME_LIMIT_BYTES) return -1;
      at += 1 + length;
      continue;
    }
    if (length < POINTER_MARK || at + 1 >= message.length) return -1;
    if (end < 0) end = at + 2;
    at = pointerTarget(message, at);
    pointers++;
    if (at >= pieceStart || pointers > POINTERS_PER_NAME_LIMIT) return -1;
    pieceStart = at;
  }
  return -1;
}

/**
 * Whether the name at `offset` of a message equals `name` from `nameOffset` on.
 * {@link endOfName} must have accepted the name in the message.
 */
export function nameMatches(message: Uint8Array, offset: number, name: DomainName, nameOffset = 0): boolean {
  let at = offset;
  let position = nameOffset;
  for (;;) {
    const length = message[at] as number;
    if (length >= POINTER_MARK) {
      at = pointerTarget(message, at);
      continue;
    }
    if (length !== name[position]) return false;
    if (length === 0) return true;
    if (!sameLabel(message, at + 1, name, position + 1, length)) return false;
    at += 1 + length;
    position += 1 + length;
  }
}

/** Copies the name at `offset` of a message, uncompressed. {@link endOfName} must have accepted it. */
export function expandName(message: Uint8Array, offset: number): DomainName {
  const name = new Uint8Array(NAME_LIMIT_BYTES);
  let at = offset;
  let position = 0;
  for (let length = message[at] as number; length !== 0; length = message[at] as number) {
    if (length >= POINTER_MARK) {
      at = pointerTarget(message, at);
      continue;
    }
    name.set(message.subarray(at, at + 1 + length), position);
    at += 1 + length;
    position += 1 + length;
  }
  return name.slice(0, position + 1);
}

function pointerTarget(message: Uint8Array, at: number): number {
  return (((message[at] as number) & 0x3f) << 8) | (message[at + 1] as number);
}

function sameLabel(one: Uint8Array, at: number, other: Uint8Array, otherAt: number, length: number): boolean {
  for (let index = 0; index < length; index++) {
    const left = one[at + index] as number;
    const right = other[otherAt + index] as number;
    if (left !== right && foldCase(left) !== foldCase(right)) return false;
  }
  return true;
}

/** Converts an ASCII letter to lower case; returns other bytes unchanged. */
function foldCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
