/** Numbers and points as RFC 8032 writes them (§5.1.2, §5.1.3): the least significant byte first. */
import { Point } from "@noble/ed25519";
import { hexadecimal } from "../hexadecimal.js";

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
