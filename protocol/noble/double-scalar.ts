/**
 * [s]B − [k]A on edwards25519, the one costly part of checking a signature: both products share their
 * doublings (Straus), and signed digits (width-w NAF) leave about one addition in six bits for each.
 *
 * Nothing here is secret, so nothing takes constant time.
 */
import { Point } from "@noble/ed25519";

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
