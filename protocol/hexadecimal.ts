/** Hexadecimal digits of bytes, lower-case, two per byte. */

const DIGITS = "0123456789abcdef";

/** Methods of ECMAScript 2026. Consoles have them in C; Node 20 does not have them. */
interface Digits {
  readonly toHex?: () => string;
}
interface FromDigits {
  readonly fromHex?: (text: string) => Uint8Array;
}

/** Encode bytes. */
export function hexadecimal(bytes: Uint8Array): string {
  const { toHex } = bytes as Digits;
  if (toHex) return toHex.call(bytes);
  let text = "";
  for (const byte of bytes) text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 0xf);
  return text;
}

/** Decode digits. @returns `undefined` for any other text: no space, sign or upper-case letter is accepted */
export function readHexadecimal(text: string): Uint8Array | undefined {
  const { fromHex } = Uint8Array as FromDigits;
  const bytes = fromHex ? fromHexOrNone(fromHex, text) : readDigits(text);
  return bytes && hexadecimal(bytes) === text ? bytes : undefined;
}

function fromHexOrNone(fromHex: (text: string) => Uint8Array, text: string): Uint8Array | undefined {
  try {
    return fromHex.call(Uint8Array, text);
  } catch {
    return undefined;
  }
}

function readDigits(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const high = digitAt(text, 2 * at);
    const low = digitAt(text, 2 * at + 1);
    if (high < 0 || low < 0) return undefined;
    bytes[at] = (high << 4) | low;
  }
  return bytes;
}

/** Value of a digit, -1 for another character. Not `parseInt`, which accepts a space or a sign. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x61 + 10;
  return -1;
}
