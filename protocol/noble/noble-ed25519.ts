/**
 * The curve of signatures (protocol/ports/crypto.ts) by `@noble/ed25519`, for programs in Node, whose own functions want
 * the message rather than its digest. Consoles have theirs in C (docs/adr/0012-the-curve-in-c.md).
 */
import { Point } from "@noble/ed25519";
import { hexadecimal } from "../hexadecimal.js";
import type { Ed25519 } from "../ports/crypto.js";
import { PUBLIC_KEY_BYTES, R_BYTES, requireLength, SIGNATURE_BYTES } from "../signature/ed25519.js";

// Numbers and points as RFC 8032 writes them (§5.1.2, §5.1.3): the least significant byte first.

/** Order of the base point (§5.1). */
export const ORDER = Point.CURVE().n;

const SCALAR_BYTES = 32;

/** `undefined` for bytes that are no point. */
export function pointOf(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined; // the only reason not to make a point of 32 bytes is that there is none
  }
}

export function numberOf(bytes: Uint8Array): bigint {
  // No `slice`: that of a Buffer is a view, and the caller's bytes would be reversed.
  return BigInt(`0x${hexadecimal(new Uint8Array(bytes).reverse())}`);
}

/** The number in `bytes` modulo the {@link ORDER}. */
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

// [s]B − [k]A on edwards25519, the one costly part of checking a signature: both products share their
// doublings (Straus), and signed digits (width-w NAF) leave about one addition in six bits for each.
//
// Nothing here is secret, so nothing takes constant time.

/** Bits of a digit: odd, or zero, and of a magnitude below 2^(WIDTH − 1). */
const WIDTH = 5;
const MULTIPLES = 1 << (WIDTH - 2);
/** Scalars are below the order of the group, 2^252 and a bit; the carry of the last digit needs one more. */
const DIGITS = 254;

const BASE_MULTIPLES: readonly Point[] = Object.freeze(oddMultiples(Point.BASE));

/**
 * @param s factor of the base point, 32 bytes, least significant first, below the order
 * @param k factor of `key`, likewise
 */
export function doubleScalar(s: Uint8Array, k: Uint8Array, key: Point): Point {
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

/** `sum` and `digit` times the point whose odd multiples are given. */
function plus(sum: Point, multiples: readonly Point[], digit: number): Point {
  if (digit === 0) return sum;
  const multiple = multiples[Math.abs(digit) >> 1] as Point;
  return digit > 0 ? sum.add(multiple) : sum.subtract(multiple);
}

/** `point` times 1, 3, 5 and so on. */
function oddMultiples(point: Point): Point[] {
  const twice = point.double();
  const multiples = [point];
  for (let last = point; multiples.length < MULTIPLES; multiples.push(last)) last = last.add(twice);
  return multiples;
}

/** Digit d at place i stands for d · 2^i; at most one in {@link WIDTH} that follow each other is not zero. */
function signedDigits(scalar: Uint8Array): Int8Array {
  const digits = new Int8Array(DIGITS);
  let carry = 0;
  for (let at = 0; at < DIGITS; ) {
    if ((window(scalar, at) & 1) === carry) {
      at++; // zero, or two: which is zero, and one to carry
      continue;
    }
    const value = (window(scalar, at) & ((1 << WIDTH) - 1)) + carry;
    carry = value >> (WIDTH - 1);
    digits[at] = value - (carry << WIDTH);
    at += WIDTH;
  }
  return digits;
}

/** Eight bits and more of `scalar` from bit `at` on. */
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
