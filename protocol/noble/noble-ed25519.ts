/**
 * Implements the `Ed25519` port (protocol/ports/crypto.ts) with `@noble/ed25519`, for programs on Node: Node's own
 * functions need the message, not its digest. Consoles use C instead (docs/adr/0012-the-curve-in-c.md).
 */
import { Point } from "@noble/ed25519";
import { hexadecimal } from "../hexadecimal.js";
import type { Ed25519 } from "../ports/crypto.js";
import { PUBLIC_KEY_BYTES, R_BYTES, requireLength, SIGNATURE_BYTES } from "../signature/ed25519.js";

// Encoding of numbers and points (RFC 8032 §5.1.2, §5.1.3): little-endian.

/** Order of the base point (§5.1). */
const ORDER = Point.CURVE().n;

const SCALAR_BYTES = 32;

/** Decode a point; `undefined` if the bytes are not a point of the curve. */
function pointOf(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined; // the only failure for 32 bytes: they are not a point
  }
}

export function numberOf(bytes: Uint8Array): bigint {
  // Not `slice`: that of a Buffer returns a view, so the caller's bytes would be reversed.
  return BigInt(`0x${hexadecimal(new Uint8Array(bytes).reverse())}`);
}

/** The number in `bytes` modulo {@link ORDER}. */
export function scalarOf(bytes: Uint8Array): Uint8Array {
  return bytesOf(numberOf(bytes) % ORDER);
}

function bytesOf(scalar: bigint): Uint8Array {
  const digits = scalar.toString(16).padStart(2 * SCALAR_BYTES, "0");
  const bytes = new Uint8Array(SCALAR_BYTES);
  for (let at = 0; at < SCALAR_BYTES; at++) {
    const end = digits.length - 2 * at;
    bytes[at] = Number.parseInt(digits.slice(end - 2, end), 16);
  }
  return bytes;
}

// [s]B − [k]A on edwards25519, the expensive part of verifying a signature. Both products share their doublings
// (Straus), and signed digits (width-w NAF) need about one addition per six bits for each.
//
// All inputs are public, so constant time is not needed.

/** Width of a NAF digit: zero, or odd with a magnitude below 2^(WIDTH − 1). */
const WIDTH = 5;
const MULTIPLES = 1 << (WIDTH - 2);
/** Scalars are below the order of the group, slightly over 2^252; the carry of the last digit needs one more. */
const DIGITS = 254;

const BASE_MULTIPLES: readonly Point[] = Object.freeze(oddMultiples(Point.BASE));

/**
 * Compute [s]B − [k]A.
 * @param s factor of the base point B: 32 bytes, little-endian, below {@link ORDER}
 * @param k factor of `key` (A), likewise
 */
function doubleScalar(s: Uint8Array, k: Uint8Array, key: Point): Point {
  const keyMultiples = oddMultiples(key.negate());
  const keyDigits = signedDigits(k);
  const baseDigits = signedDigits(s);
  let sum = Point.ZERO;
  for (let at = DIGITS - 1; at >= 0; at--) {
    sum = sum.double();
    sum = plus(sum, keyMultiples, keyDigits[at] as number);
    sum = plus(sum, BASE_MULTIPLES, baseDigits[at] as number);
  }
  return sum;
}

/** `sum` plus `digit` times the point with these odd multiples. */
function plus(sum: Point, multiples: readonly Point[], digit: number): Point {
  if (digit === 0) return sum;
  const multiple = multiples[Math.abs(digit) >> 1] as Point;
  return digit > 0 ? sum.add(multiple) : sum.subtract(multiple);
}

/** `point` multiplied by 1, 3, 5 and so on. */
function oddMultiples(point: Point): Point[] {
  const twice = point.double();
  const multiples = [point];
  for (let last = point; multiples.length < MULTIPLES; multiples.push(last)) last = last.add(twice);
  return multiples;
}

/** NAF of `scalar`: digit d at index i is d · 2^i; of any {@link WIDTH} consecutive digits at most one is not zero. */
function signedDigits(scalar: Uint8Array): Int8Array {
  const digits = new Int8Array(DIGITS);
  let carry = 0;
  for (let at = 0; at < DIGITS; ) {
    if ((window(scalar, at) & 1) === carry) {
      at++; // bit plus carry is 0, or 2: the digit is zero either way, and the carry stays
      continue;
    }
    const value = (window(scalar, at) & ((1 << WIDTH) - 1)) + carry;
    carry = value >> (WIDTH - 1);
    digits[at] = value - (carry << WIDTH);
    at += WIDTH;
  }
  return digits;
}

/** At least nine bits of `scalar` from bit `at` on. */
function window(scalar: Uint8Array, at: number): number {
  const byte = at >> 3;
  return ((scalar[byte] ?? 0) | ((scalar[byte + 1] ?? 0) << 8)) >> (at & 7);
}

const DIGEST_BYTES = 64;

export const nobleEd25519: Ed25519 = Object.freeze({
  holds(signature: Uint8Array, publicKey: Uint8Array, digest: Uint8Array): boolean {
    requireLength("signature", signature, SIGNATURE_BYTES);
    requireLength("public key", publicKey, PUBLIC_KEY_BYTES);
    requireLength("digest", digest, DIGEST_BYTES);
    const s = signature.subarray(R_BYTES);
    const key = pointOf(publicKey);
    if (!key || numberOf(s) >= ORDER) return false;
    return startsWith(signature, doubleScalar(s, scalarOf(digest), key).toBytes());
  },

  isPublicKey(bytes: Uint8Array): boolean {
    requireLength("public key", bytes, PUBLIC_KEY_BYTES);
    return pointOf(bytes)?.double().double().double().is0() === false;
  },
});

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
