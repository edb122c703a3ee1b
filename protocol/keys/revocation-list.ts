/**
 * Reads and writes lists of revoked keys (docs/spec/keys.md#revocations). Numbers are little-endian.
 *
 *     offset  bytes
 *          0      4  "SVRL"
 *          4      2  format version, 1
 *          6      2  count of keys, at most 128
 *          8      4  number of the list, from 1 on: a list replaces lists with lower numbers
 *         12  32 × n  Ed25519 public keys, each greater than the one before it
 *          +     32  Ed25519 public key of the signer
 *          +     64  its signature over all bytes before it
 *
 * The encoding is canonical: the same keys and number always give the same signed bytes. No other signed data can be
 * mistaken for a list: an app's signature covers 32 bytes, a bundle's signed bytes begin with the length of its image,
 * and statements begin with "svc ".
 */
import { Fault } from "../fault.js";
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "../signature/ed25519.js";

/** Keys per list, limited because a list is read into memory whole (docs/spec/keys.md#revocation-list). */
export const REVOKED_KEYS_LIMIT = 128;

/** "SVRL" and the format version. */
const START: readonly number[] = Object.freeze([0x53, 0x56, 0x52, 0x4c, 0x01, 0x00]);
const COUNT_AT = 6;
const NUMBER_AT = 8;
const KEYS_AT = 12;
const END_BYTES = PUBLIC_KEY_BYTES + SIGNATURE_BYTES;

export const REVOCATIONS_LIMIT_BYTES = KEYS_AT + REVOKED_KEYS_LIMIT * PUBLIC_KEY_BYTES + END_BYTES;

const NUMBER_LIMIT = 0xffffffff;

export interface RevocationList {
  readonly number: number;
  readonly count: number;
  /** All bytes of the list; the arrays below are views of them. */
  readonly bytes: Uint8Array;
  readonly signer: Uint8Array;
  readonly signature: Uint8Array;
  readonly signedBytes: Uint8Array;
}

/**
 * Parse a list. Does not verify its signature; the caller must.
 * @param bytes kept, not copied
 * @throws {Fault} `revocations_invalid`
 */
export function readRevocationList(bytes: Uint8Array): RevocationList {
  if (bytes.length < KEYS_AT + END_BYTES || START.some((byte, at) => bytes[at] !== byte))
    throw invalid("it is not a list of this format");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint16(COUNT_AT, true);
  const number = view.getUint32(NUMBER_AT, true);
  if (count > REVOKED_KEYS_LIMIT)
    throw invalid(`it has ${count} keys, and at most ${REVOKED_KEYS_LIMIT} are taken`);
  if (number === 0) throw invalid("its number is 0");
  const signerAt = KEYS_AT + count * PUBLIC_KEY_BYTES;
  if (bytes.length !== signerAt + END_BYTES)
    throw invalid(`it has ${bytes.length} bytes, and says that it has ${signerAt + END_BYTES}`);
  for (let at = KEYS_AT + PUBLIC_KEY_BYTES; at < signerAt; at += PUBLIC_KEY_BYTES)
    if (compareAt(bytes, at - PUBLIC_KEY_BYTES, bytes, at) >= 0) throw invalid("its keys are not in order");
  const signatureAt = signerAt + PUBLIC_KEY_BYTES;
  return {
    number,
    count,
    bytes,
    signer: bytes.subarray(signerAt, signatureAt),
    signature: bytes.subarray(signatureAt),
    signedBytes: bytes.subarray(0, signatureAt),
  };
}

export function isRevokedBy({ bytes, count }: RevocationList, publicKey: Uint8Array): boolean {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compareAt(bytes, KEYS_AT + middle * PUBLIC_KEY_BYTES, publicKey, 0);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

export interface NewRevocations {
  readonly number: number;
  /** In any order; duplicates are removed. */
  readonly keys: readonly Uint8Array[];
  readonly signer: Uint8Array;
  /** Returns the Ed25519 signature over `message`, 64 bytes. */
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** Encode and sign a list, for programs on Node. @throws {RangeError} for an invalid number, key or count of keys */
export function writeRevocationList({ number, keys, signer, sign }: NewRevocations): Uint8Array {
  if (!Number.isInteger(number) || number < 1 || number > NUMBER_LIMIT)
    throw new RangeError(`The number of a list is 1 to ${NUMBER_LIMIT}, not ${number}`);
  for (const key of [signer, ...keys])
    if (key.length !== PUBLIC_KEY_BYTES)
      throw new RangeError(`A key has ${PUBLIC_KEY_BYTES} bytes, not ${key.length}`);
  const sorted = [...keys]
    .sort((one, other) => compareAt(one, 0, other, 0))
    .filter((key, at, all) => at === 0 || compareAt(all[at - 1] as Uint8Array, 0, key, 0) !== 0);
  if (sorted.length > REVOKED_KEYS_LIMIT)
    throw new RangeError(`A list has at most ${REVOKED_KEYS_LIMIT} keys, not ${sorted.length}`);
  const bytes = new Uint8Array(KEYS_AT + sorted.length * PUBLIC_KEY_BYTES + END_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(START);
  view.setUint16(COUNT_AT, sorted.length, true);
  view.setUint32(NUMBER_AT, number, true);
  sorted.forEach((key, at) => {
    bytes.set(key, KEYS_AT + at * PUBLIC_KEY_BYTES);
  });
  const signatureAt = bytes.length - SIGNATURE_BYTES;
  bytes.set(signer, signatureAt - PUBLIC_KEY_BYTES);
  bytes.set(sign(bytes.subarray(0, signatureAt)), signatureAt);
  return bytes;
}

/** The keys of a list in its order, as views, for display. */
export function revokedKeys({ bytes, count }: RevocationList): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, index) => {
    const at = KEYS_AT + index * PUBLIC_KEY_BYTES;
    return bytes.subarray(at, at + PUBLIC_KEY_BYTES);
  });
}

/** Compare two keys byte by byte. */
function compareAt(one: Uint8Array, oneAt: number, other: Uint8Array, otherAt: number): number {
  for (let at = 0; at < PUBLIC_KEY_BYTES; at++) {
    const difference = (one[oneAt + at] as number) - (other[otherAt + at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

function invalid(reason: string): Fault {
  return new Fault("revocations_invalid", `Cannot accept the list of revoked keys: ${reason}`);
}
