/**
 * Base64 (RFC 4648 §4) from bytes to bytes: encodes a chunk directly into its line, without an intermediate string.
 * No built-in encoder both accepts bytes and exists in Node and in every browser.
 */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const PADDING = 0x3d;
const NONE = 0xff;
const VALUES = new Uint8Array(256).fill(NONE);
for (const [value, code] of CODES.entries()) VALUES[code] = value;

export function base64Length(byteLength: number): number {
  return Math.ceil(byteLength / 3) * 4;
}

/**
 * Writes {@link base64Length} bytes of ASCII.
 * @returns the offset after the last byte written
 */
export function encodeBase64Into(bytes: Uint8Array, into: Uint8Array, offset: number): number {
  let at = offset;
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] as number) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    into[at++] = CODES[group >> 18] as number;
    into[at++] = CODES[(group >> 12) & 63] as number;
    into[at++] = CODES[(group >> 6) & 63] as number;
    into[at++] = CODES[group & 63] as number;
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  into.fill(PADDING, at - missing, at);
  return at;
}

/** @throws {SyntaxError} unless `text` is complete, padded base64 */
export function decodeBase64(text: string): Uint8Array {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (text.length % 4 !== 0) throw new SyntaxError("This is not base64");
  const bytes = new Uint8Array((text.length / 4) * 3);
  const digits = text.length - padding;
  let at = 0;
  for (let index = 0; index < text.length; index += 4) {
    const group =
      (valueAt(text, index, digits) << 18) |
      (valueAt(text, index + 1, digits) << 12) |
      (valueAt(text, index + 2, digits) << 6) |
      valueAt(text, index + 3, digits);
    bytes[at++] = group >> 16;
    bytes[at++] = group >> 8;
    bytes[at++] = group;
  }
  return bytes.subarray(0, bytes.length - padding);
}

/** The padding after the digits counts as zeros. */
function valueAt(text: string, index: number, digits: number): number {
  if (index >= digits) return 0;
  const value = VALUES[text.charCodeAt(index)] ?? NONE;
  if (value === NONE) throw new SyntaxError("This is not base64");
  return value;
}
