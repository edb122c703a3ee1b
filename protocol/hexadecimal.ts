/** Hexadecimal encoding of bytes. */

const DIGITS = "0123456789abcdef";

/**
 * Encode as lower-case digits, two per byte. Takes 4,400 instructions per byte on XS; `toString(16)` with `padStart`
 * takes 11,600.
 */
export function hexadecimal(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 0xf);
  return text;
}
