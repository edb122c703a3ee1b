/** Characters of a head (RFC 9112, RFC 9110 §5.6), and scans for them. A scan ends at the CR of its line at the latest. */
import { load8, store8 } from "../memory.js";

const TAB: i32 = 0x09;
export const LF: i32 = 0x0a;
export const CR: i32 = 0x0d;
export const SPACE: i32 = 0x20;
export const NUMBER_SIGN: i32 = 0x23;
export const ASTERISK: i32 = 0x2a;
export const COMMA: i32 = 0x2c;
export const DASH: i32 = 0x2d;
export const DOT: i32 = 0x2e;
export const SLASH: i32 = 0x2f;
export const COLON: i32 = 0x3a;
export const QUESTION_MARK: i32 = 0x3f;
export const AT_SIGN: i32 = 0x40;
export const OPENING_BRACKET: i32 = 0x5b;
export const CLOSING_BRACKET: i32 = 0x5d;
export const UNDERSCORE: i32 = 0x5f;
const DELETE: i32 = 0x7f;

export function isDigit(byte: i32): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

export function isLowerCase(byte: i32): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

function isUpperCase(byte: i32): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function isTokenByte(byte: i32): boolean {
  if (isLowerCase(byte) || isUpperCase(byte) || isDigit(byte)) return true;
  switch (byte) {
    case 0x21: // !
    case 0x23: // #
    case 0x24: // $
    case 0x25: // %
    case 0x26: // &
    case 0x27: // '
    case 0x2a: // *
    case 0x2b: // +
    case 0x2d: // -
    case 0x2e: // .
    case 0x5e: // ^
    case 0x5f: // _
    case 0x60: // `
    case 0x7c: // |
    case 0x7e: // ~
      return true;
    default:
      return false;
  }
}

export function tokenEnd(from: i32): i32 {
  let at = from;
  while (isTokenByte(load8(at))) at++;
  return at;
}

/** End of the field name at `from`, which becomes lower case. */
export function fieldNameEnd(from: i32): i32 {
  let at = from;
  while (isTokenByte(load8(at))) {
    toLowerCase(at);
    at++;
  }
  return at;
}

/** End of the printable ASCII without spaces. */
export function visibleEnd(from: i32): i32 {
  let at = from;
  while (load8(at) > SPACE && load8(at) < DELETE) at++;
  return at;
}

/** End of the field value at `from`, in which bytes above 0x7f, which are opaque (RFC 9110 §5.5), become `?`. */
export function fieldValueEnd(from: i32): i32 {
  let at = from;
  while (isValueByte(load8(at))) {
    if (load8(at) > DELETE) store8(at, QUESTION_MARK);
    at++;
  }
  return at;
}

function isValueByte(byte: i32): boolean {
  return (byte >= SPACE && byte !== DELETE) || byte === TAB;
}

function isSpace(byte: i32): boolean {
  return byte === SPACE || byte === TAB;
}

export function trimmedStart(start: i32, end: i32): i32 {
  let at = start;
  while (at < end && isSpace(load8(at))) at++;
  return at;
}

export function trimmedEnd(start: i32, end: i32): i32 {
  let at = end;
  while (at > start && isSpace(load8(at - 1))) at--;
  return at;
}

export function toLowerCase(at: i32): void {
  const byte = load8(at);
  if (isUpperCase(byte)) store8(at, byte | 0x20);
}
