/**
 * Domain names in their wire form: labels with a length byte in front, then a zero (RFC 1035 §3.1). A
 * name of our own is never compressed; one inside a message may be, and is compared in place, so that
 * the questions of a busy network cost no memory. Comparison ignores the case of ASCII letters, and compares all else
 * byte by byte (RFC 6762 §16).
 */
import { POINTER_MARK } from "./dns-types.js";
import { LABEL_LIMIT_BYTES, NAME_LIMIT_BYTES, POINTERS_PER_NAME_LIMIT } from "./limits.js";

/** An uncompressed name in wire form. Never changed once made. */
export type DomainName = Uint8Array;

/**
 * Builds a name from labels, most specific first: `domainName("_svc", "_tcp", "local")`.
 * @throws {RangeError} for an empty label, one over 63 bytes of UTF-8, or a name over 255
 */
export function domainName(...labels: readonly string[]): DomainName {
  const encoder = new TextEncoder();
  const encoded = labels.map((label) => encoder.encode(label));
  const name = new Uint8Array(encoded.reduce((total, label) => total + 1 + label.length, 1));
  let at = 0;
  for (const label of encoded) {
    if (label.length === 0 || label.length > LABEL_LIMIT_BYTES)
      throw new RangeError(`Cannot use a label of ${label.length} bytes: 1 to ${LABEL_LIMIT_BYTES} fit`);
    name[at] = label.length;
    name.set(label, at + 1);
    at += 1 + label.length;
  }
  if (name.length > NAME_LIMIT_BYTES)
    throw new RangeError(`Cannot use a name of ${name.length} bytes: ${NAME_LIMIT_BYTES} fit`);
  return name;
}

/** The labels of an uncompressed name, most specific first. Bytes that are not UTF-8 become U+FFFD. */
export function labelsOf(name: DomainName): string[] {
  const decoder = new TextDecoder();
  const labels: string[] = [];
  for (let at = 0; name[at] !== 0; at += 1 + (name[at] as number))
    labels.push(decoder.decode(name.subarray(at + 1, at + 1 + (name[at] as number))));
  return labels;
}

/** The labels with dots between them, as mdns-js shows names; dots within a label are not escaped. */
export function nameText(name: DomainName): string {
  return labelsOf(name).join(".");
}

/** Whether two uncompressed names are the same. */
export function sameName(one: DomainName, other: DomainName): boolean {
  return one === other || (one.length === other.length && nameMatches(one, 0, other));
}

/**
 * Where the name at `offset` ends, or -1 where it is malformed. A pointer must lead to before the piece
 * that it ends, so every step goes back and none is taken twice.
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
 * Whether the name at `offset` of a message is `name` from `nameOffset` on.
 * {@link endOfName} has accepted the name in the message.
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

/** Copies the name at `offset` of a message without pointers. {@link endOfName} has accepted it. */
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

/** An ASCII letter in lower case, anything else as it is. */
function foldCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
