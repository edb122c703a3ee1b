/** Bytes that the grammar of HTTP/1.1 names (RFC 9112, RFC 9110 §5.6), and scanning for them. */

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const SEMICOLON = 0x3b;
export const COLON = 0x3a;

const QUESTION_MARK = 0x3f;
const DELETE = 0x7f;

/** Token characters (RFC 9110 §5.6.2) that are not letters. */
const TOKEN_MARKS = "!#$%&'*+-.^_`|~0123456789";

/** Whether a token may hold `byte`. For single bytes; {@link tokenEnd} scans. */
export function isTokenByte(byte: number): boolean {
  const letter = byte | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) || (byte > SPACE && TOKEN_MARKS.includes(String.fromCharCode(byte)))
  );
}

/** Whether `byte` is a control character other than a tab. */
export function isControl(byte: number): boolean {
  return (byte < SPACE && byte !== TAB) || byte === DELETE;
}

/** Where the token that begins at `from` ends; `from` itself where there is none. */
export function tokenEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)) continue;
    if (byte <= SPACE || byte === COLON || !TOKEN_MARKS.includes(String.fromCharCode(byte))) return at;
  }
}

/** The same for the name of a field, whose letters become lower-case: it is looked up so, whatever case it came in. */
export function fieldNameEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x61 && byte <= 0x7a) continue;
    if (byte >= 0x41 && byte <= 0x5a) bytes[at] = byte | 0x20;
    else if (byte <= SPACE || byte === COLON || !TOKEN_MARKS.includes(String.fromCharCode(byte))) return at;
  }
}

/** Where the printable ASCII without spaces (VCHAR, RFC 5234) that begins at `from` ends. */
export function visibleEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte <= SPACE || byte >= DELETE) return at;
    at++;
  }
}

/**
 * Where the field value that begins at `from` ends: at the first control character but a tab (RFC 9110
 * §5.5). Bytes above 0x7f are opaque and no field that we read may hold them, so they become `?`: the
 * text of a head is then ASCII, and positions in it are those of its bytes.
 */
export function fieldValueEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= SPACE && byte < DELETE) continue;
    if (byte > DELETE) bytes[at] = QUESTION_MARK;
    else if (byte !== TAB) return at;
  }
}
