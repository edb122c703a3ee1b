/** Bytes as pairs of hexadecimal digits. */

/** Lower-case digits, two a byte. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
