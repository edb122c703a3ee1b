/**
 * Cuts the data out of a line with a chunk and decodes it. Such a line is nearly all base64, and a JSON parser would read
 * each character several times. A short line with empty data remains:
 *
 *     {"jsonrpc":"2.0",…,"data":"AAECAwQF…"}   the line
 *     |<-- opening -->|       |<-- tail -->|   searched for quotes
 *     |bytes of data|…{"jsonrpc":"2.0",…,"data":""}
 *
 * The rest parses to the same request, because only unambiguous lines are cut: the cut part is base64 between two
 * quotes, so it contains neither a quote nor an escape, and the rest contains no escape and no second `data` member.
 * Base64 is canonical here (RFC 4648 §3.5). Any other line stays unchanged.
 */
import { copy, load8, load32, store8 } from "../memory.js";
import { OPENING, OPENING_BYTES } from "./layout.js";

const QUOTE: i32 = 0x22;
const COLON: i32 = 0x3a;
const BACKSLASH: i32 = 0x5c;
const PADDING: i32 = 0x3d;

/** `data` ends in this part of a line: it is usually the last member. */
const TAIL_BYTES: i32 = 64;
/** Length of `"data":"`. */
const MEMBER_OPENING_BYTES: i32 = 8;

/** What {@link cutChunk} left: the data from the start of the line on, and the rest of the line at its end. */
export let dataEnd: i32 = 0;
export let restStart: i32 = 0;

/** @returns whether the line had data, which was cut; else the line is unchanged */
export function cutChunk(start: i32, end: i32): boolean {
  const opening = findOpening(start, end);
  if (opening < 0) return false;
  const data = opening + MEMBER_OPENING_BYTES;
  const tail = end - TAIL_BYTES > data ? end - TAIL_BYTES : data;
  const closing = findQuote(tail, end);
  if (closing < 0 || !isPlain(start, opening) || !isPlain(tail, end) || !isBase64(data, closing))
    return false;
  const length = data - start;
  copy(OPENING, start, length);
  dataEnd = decode(data, closing, start);
  restStart = closing - length;
  copy(restStart, OPENING, length);
  return true;
}

/** Start of the first `"data":"` in the first part of the line; -1 if there is none. */
function findOpening(start: i32, end: i32): i32 {
  const limit = (end - start < OPENING_BYTES ? end : start + OPENING_BYTES) - MEMBER_OPENING_BYTES;
  for (let at = start; at <= limit; at++)
    if (isMember(at) && load8(at + 6) === COLON && load8(at + 7) === QUOTE) return at;
  return -1;
}

/** Whether `"data"` is there. */
function isMember(at: i32): boolean {
  return load32(at) === 0x74616422 && load8(at + 4) === 0x61 && load8(at + 5) === QUOTE;
}

function findQuote(from: i32, end: i32): i32 {
  for (let at = from; at < end; at++) if (load8(at) === QUOTE) return at;
  return -1;
}

/** Whether there is ASCII without an escape and without the member. */
function isPlain(start: i32, end: i32): boolean {
  for (let at = start; at < end; at++) {
    const byte = load8(at);
    if (byte === BACKSLASH || byte > 0x7f) return false;
    if (byte === QUOTE && at + 6 <= end && isMember(at)) return false;
  }
  return true;
}

function isBase64(start: i32, end: i32): boolean {
  const length = end - start;
  if ((length & 3) !== 0) return false;
  if (length === 0) return true;
  let last = end;
  while (end - last < 2 && load8(last - 1) === PADDING) last--;
  for (let at = start; at < last; at++) if (sextet(load8(at)) < 0) return false;
  if (last === end) return true;
  // The bits of the last character beyond the last byte are 0.
  return (sextet(load8(last - 1)) & (end - last === 1 ? 0x03 : 0x0f)) === 0;
}

/** Value of a character, -1 for others. */
function sextet(byte: i32): i32 {
  if (byte >= 0x61) return byte <= 0x7a ? byte - 0x61 + 26 : -1;
  if (byte >= 0x41) return byte <= 0x5a ? byte - 0x41 : -1;
  if (byte >= 0x30) return byte <= 0x39 ? byte - 0x30 + 52 : -1;
  if (byte === 0x2b) return 62;
  return byte === 0x2f ? 63 : -1;
}

/** Decodes to an address before the text. @returns the end of the bytes */
function decode(start: i32, end: i32, to: i32): i32 {
  let next = to;
  for (let at = start; at < end; at += 4) {
    const group =
      (sextet(load8(at)) << 18) |
      (sextet(load8(at + 1)) << 12) |
      ((sextet(load8(at + 2)) & 0x3f) << 6) |
      (sextet(load8(at + 3)) & 0x3f);
    const isThree = load8(at + 3) !== PADDING;
    const isTwo = load8(at + 2) !== PADDING;
    store8(next, (group >> 16) & 0xff);
    if (isTwo) store8(next + 1, (group >> 8) & 0xff);
    if (isThree) store8(next + 2, group & 0xff);
    next += isThree ? 3 : isTwo ? 2 : 1;
  }
  return next;
}
