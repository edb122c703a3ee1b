/** UTF-8 as the console reads it (`device/hosts/common/native/utf8.c`). */
import { escapeControls } from "../../device/services/logs/log-line.js";

/** Length of a sequence that begins with `first`; 0 if none does (RFC 3629 §4). */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

/** The second byte alone distinguishes overlong forms, surrogates and code points past U+10FFFF from the rest. */
function mayFollow(first: number, second: number): boolean {
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  return second >= lowest && second <= highest;
}

/** @returns bytes of the well-formed sequence at `at`, or 0 if there is none */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const length = lengthOf(first);
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return 0;
    if (index === 1 ? !mayFollow(first, byte) : (byte & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** The code point of a well-formed sequence. */
export function characterAt(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] as number;
  let character = length === 1 ? first : first & (0x7f >> length);
  for (let index = 1; index < length; index++)
    character = (character << 6) | ((bytes[at + index] as number) & 0x3f);
  return character;
}

/**
 * Text of an app as the console logs it: what is not UTF-8 is replaced, and control characters are escaped; nothing is cut
 * within a character.
 * @returns at most `limitBytes` of UTF-8
 */
export function cleanText(bytes: Uint8Array, limitBytes: number): Uint8Array {
  // A byte gives at least a byte, so what is beyond the limit decides nothing; a character that is cut there is beyond it, too.
  const read = bytes.subarray(0, limitBytes + 4);
  const text = escapeControls(new TextDecoder("utf-8", { ignoreBOM: true }).decode(read));
  const into = new Uint8Array(limitBytes);
  return into.subarray(0, new TextEncoder().encodeInto(text, into).written);
}
