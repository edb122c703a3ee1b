/**
 * Cuts the data out of a line with a chunk and decodes it. Such a line is nearly all base64, and a JSON parser would read
 * each character several times. A short line with empty data remains:
 *
 *     {"jsonrpc":"2.0",…,"data":"AAECAwQF…"}   the line
 *     |<-- opening -->|       |<-- tail -->|   searched for quotes
 *     {"jsonrpc":"2.0",…,"data":""}            the rest
 *
 * The rest parses to the same request, because only unambiguous lines are cut: the cut part is base64 between two
 * quotes, so it contains neither a quote nor an escape, and the rest contains no escape and no second `data` member.
 * Base64 is canonical here (RFC 4648 §3.5). Any other line stays unchanged.
 *
 * If what arrives is a whole line, it is cut before its end is searched: decoding finds the end of the data, and only the
 * tail after it is searched for LF, instead of all of the line.
 */
import { copy, fill, load8, load32, store8 } from "../memory.js";
import { DATA, SHORT_LINE_LIMIT_BYTES, VALUES, VALUES_BYTES } from "./layout.js";

const LF: i32 = 0x0a;
const CR: i32 = 0x0d;
const QUOTE: i32 = 0x22;
const COLON: i32 = 0x3a;
const BACKSLASH: i32 = 0x5c;
const PADDING: i32 = 0x3d;
/** In place of a value. */
const INVALID: i32 = 0x80;

/** `data` begins in this part of a line: after a few short members, and possibly a signature. */
const OPENING_BYTES: i32 = 384;

/** `data` ends in this part of a line: it is usually the last member. */
const TAIL_BYTES: i32 = 64;
/** Length of `"data":"`. */
const MEMBER_OPENING_BYTES: i32 = 8;

/** What {@link cutChunk} left: the data at {@link DATA}, and the rest of the line from its start on. */
export let dataEnd: i32 = 0;
export let restEnd: i32 = 0;

/** @returns whether the line had data, which was cut; else the line is unchanged */
export function cutChunk(start: i32, end: i32): boolean {
  const opening = findOpening(start, end);
  if (opening < 0) return false;
  const data = opening + MEMBER_OPENING_BYTES;
  const tail = end - TAIL_BYTES > data ? end - TAIL_BYTES : data;
  const closing = findQuote(tail, end);
  if (closing < 0 || !isPlain(start, opening) || !isPlain(tail, end)) return false;
  dataEnd = decode(data, closing);
  if (dataEnd < 0) return false;
  restEnd = end - (closing - data);
  copy(data, closing, end - closing);
  return true;
}

/**
 * The same for a line at `start` of which the end is unknown.
 * @param to end of what has arrived
 * @returns the position of its LF; -1 if the line is not cut: as it arrived, it may not have data, or may not be whole
 */
export function cutArriving(start: i32, to: i32): i32 {
  if (to - start <= SHORT_LINE_LIMIT_BYTES || load8(to - 1) !== LF) return -1;
  const opening = findOpening(start, to);
  if (opening < 0 || !isPlain(start, opening)) return -1;
  const data = opening + MEMBER_OPENING_BYTES;
  const closing = decodeArriving(data, to);
  if (closing < 0) return -1;
  const end = findEnd(closing, to);
  if (end < 0 || end - start <= SHORT_LINE_LIMIT_BYTES || !isPlain(closing, end)) return -1;
  restEnd = end - (closing - data);
  copy(data, closing, end - closing);
  return end;
}

/** The LF that ends the tail; -1 if the tail is too long, or not whole. */
function findEnd(from: i32, to: i32): i32 {
  const limit = from + TAIL_BYTES < to ? from + TAIL_BYTES : to - 1;
  for (let at = from; at <= limit; at++) if (load8(at) === LF) return at;
  return -1;
}

/** Start of the first `"data":"` in the first part of the line; -1 if there is none. */
function findOpening(start: i32, end: i32): i32 {
  const limit = (end - start < OPENING_BYTES ? end : start + OPENING_BYTES) - MEMBER_OPENING_BYTES;
  for (let at = start; at <= limit; at++)
    if (load8(at) === QUOTE && isMember(at) && load8(at + 6) === COLON && load8(at + 7) === QUOTE) return at;
  return -1;
}

/** Whether `data"` follows the quote. */
function isMember(quote: i32): boolean {
  return load32(quote + 1) === 0x61746164 && load8(quote + 5) === QUOTE;
}

function findQuote(from: i32, end: i32): i32 {
  for (let at = from; at < end; at++) if (load8(at) === QUOTE) return at;
  return -1;
}

/** Whether there is ASCII of one line, without an escape and without the member. */
function isPlain(start: i32, end: i32): boolean {
  for (let at = start; at < end; at++) {
    const byte = load8(at);
    if (byte === BACKSLASH || byte > 0x7f || byte === LF || byte === CR) return false;
    if (byte === QUOTE && at + 6 <= end && isMember(at)) return false;
  }
  return true;
}

/** Fills the table for {@link decode}. */
export function prepareBase64(): void {
  fill(VALUES, INVALID, VALUES_BYTES);
  for (let value = 0; value < 26; value++) {
    store8(VALUES + 0x41 + value, value);
    store8(VALUES + 0x61 + value, value + 26);
  }
  for (let value = 0; value < 10; value++) store8(VALUES + 0x30 + value, value + 52);
  store8(VALUES + 0x2b, 62); // +
  store8(VALUES + 0x2f, 63); // /
}

function valueAt(at: i32): i32 {
  return load8(VALUES + load8(at));
}

/** Decodes to {@link DATA}. @returns the end of the bytes, -1 for anything but canonical base64 */
function decode(start: i32, end: i32): i32 {
  if (((end - start) & 3) !== 0) return -1;
  if (start === end) return DATA;
  return decodeGroups(start, end - 4) === end - 4 ? decodeLast(end - 4, dataEnd) : -1;
}

/** Decodes up to the closing quote, to {@link DATA}. @returns the position of the quote, -1 as {@link decode} */
function decodeArriving(start: i32, to: i32): i32 {
  const at = decodeGroups(start, to - 4);
  if (load8(at) === QUOTE) return at;
  if (at >= to - 4 || load8(at + 3) !== PADDING || load8(at + 4) !== QUOTE) return -1;
  dataEnd = decodeLast(at, dataEnd);
  return dataEnd < 0 ? -1 : at + 4;
}

/**
 * Decodes groups of four characters without padding to {@link DATA}, as long as they begin before `limit`.
 * @returns the start of the first group that is not decoded; the end of the bytes is in {@link dataEnd}
 */
function decodeGroups(start: i32, limit: i32): i32 {
  let next = DATA;
  let at = start;
  while (at < limit) {
    const one = valueAt(at);
    const two = valueAt(at + 1);
    const three = valueAt(at + 2);
    const four = valueAt(at + 3);
    if ((one | two | three | four) >= INVALID) break;
    store8(next, (one << 2) | (two >> 4));
    store8(next + 1, (two << 4) | (three >> 2));
    store8(next + 2, (three << 6) | four);
    next += 3;
    at += 4;
  }
  dataEnd = next;
  return at;
}

/** Decodes the last four characters, which may be padded; then the bits beyond the last byte are 0. */
function decodeLast(at: i32, next: i32): i32 {
  const one = valueAt(at);
  const two = valueAt(at + 1);
  const hasFour = load8(at + 3) !== PADDING;
  const hasThree = hasFour || load8(at + 2) !== PADDING;
  const three = hasThree ? valueAt(at + 2) : 0;
  const four = hasFour ? valueAt(at + 3) : 0;
  if ((one | two | three | four) >= INVALID) return -1;
  if (!hasFour && (hasThree ? three & 0x03 : two & 0x0f) !== 0) return -1;
  store8(next, (one << 2) | (two >> 4));
  if (hasThree) store8(next + 1, (two << 4) | (three >> 2));
  if (hasFour) store8(next + 2, (three << 6) | four);
  return next + 1 + (hasThree ? 1 : 0) + (hasFour ? 1 : 0);
}
