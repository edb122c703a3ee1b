/**
 * Framing of the body (RFC 9112 §6), and persistence (§9.3). If two programs disagree on the length of a body, the same
 * bytes are different requests to them (request smuggling). So nothing is guessed: one length in digits, or `chunked`
 * alone, or no body.
 */
import { load8, store32 } from "../memory.js";
import { COMMA, isDigit } from "./characters.js";
import {
  CHUNKED,
  CLOSE,
  EMPTY,
  findMember,
  isPresent,
  KEEP_ALIVE,
  listLength,
  readList,
  readSingle,
  valueEnd,
  valueStart,
} from "./known-fields.js";
import {
  BAD_LENGTH,
  CODING_IN_HTTP_10,
  CODING_MISPLACED,
  CONNECTION,
  CONTENT_LENGTH,
  HAS_LENGTH,
  IS_CHUNKED,
  IS_PERSISTENT,
  LENGTH_AND_CODING,
  LENGTH_REPEATED,
  LIST,
  OTHER_CODING,
  RESULT_LENGTH_HIGH,
  RESULT_LENGTH_LOW,
  RESULT_QUOTED,
  TOO_MANY_MEMBERS,
  TRANSFER_ENCODING,
} from "./layout.js";

/** Digits of 2^53 - 1, and of each of the two numbers that give it. */
const LENGTH_LIMIT_DIGITS: i32 = 16;
const LOW_DIGITS: i32 = 8;
const LENGTH_LIMIT_HIGH: i32 = 90071992;
const LENGTH_LIMIT_LOW: i32 = 54740991;

/** @returns bits of the summary, or a fault */
export function framingBits(isHttp10: boolean): i32 {
  let fault = readList(TRANSFER_ENCODING);
  if (fault !== 0) return fault;
  const hasLength = isPresent(CONTENT_LENGTH);
  if (hasLength) {
    fault = readSingle(CONTENT_LENGTH, LENGTH_REPEATED);
    if (fault !== 0) return fault;
  }
  if (listLength < 0) return hasLength ? lengthBits() : 0;
  // RFC 9112 §6.1, §6.3: both together are request smuggling or an error.
  if (hasLength) return LENGTH_AND_CODING;
  if (isHttp10) return CODING_IN_HTTP_10;
  const chunked = findMember(CHUNKED);
  return chunked === 0 && !hasComma(0) ? IS_CHUNKED : badCoding(chunked);
}

/** Bad syntax if no coding could make the list valid. */
function badCoding(chunked: i32): i32 {
  store32(RESULT_QUOTED, LIST | ((LIST + listLength) << 16));
  if (chunked === TOO_MANY_MEMBERS) return TOO_MANY_MEMBERS;
  if (chunked >= 0 && hasComma(chunked)) return CODING_MISPLACED;
  const empty = findMember(EMPTY);
  if (empty === TOO_MANY_MEMBERS) return TOO_MANY_MEMBERS;
  return empty >= 0 ? CODING_MISPLACED : OTHER_CODING;
}

function hasComma(from: i32): boolean {
  for (let at = from; at < listLength; at++) if (load8(LIST + at) === COMMA) return true;
  return false;
}

function lengthBits(): i32 {
  store32(RESULT_QUOTED, valueStart | (valueEnd << 16));
  const digits = valueEnd - valueStart;
  if (digits === 0 || digits > LENGTH_LIMIT_DIGITS) return BAD_LENGTH;
  for (let at = valueStart; at < valueEnd; at++) if (!isDigit(load8(at))) return BAD_LENGTH;
  const middle = digits > LOW_DIGITS ? valueEnd - LOW_DIGITS : valueStart;
  const high = numberIn(valueStart, middle);
  const low = numberIn(middle, valueEnd);
  if (high > LENGTH_LIMIT_HIGH || (high === LENGTH_LIMIT_HIGH && low > LENGTH_LIMIT_LOW)) return BAD_LENGTH;
  store32(RESULT_LENGTH_HIGH, high);
  store32(RESULT_LENGTH_LOW, low);
  return high === 0 && low === 0 ? 0 : HAS_LENGTH;
}

function numberIn(start: i32, end: i32): i32 {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + load8(at) - 0x30;
  return value;
}

/** @returns bits of the summary, or a fault */
export function persistenceBits(isHttp10: boolean): i32 {
  const fault = readList(CONNECTION);
  if (fault !== 0) return fault;
  if (listLength < 0) return isHttp10 ? 0 : IS_PERSISTENT;
  const close = findMember(CLOSE);
  if (close === TOO_MANY_MEMBERS) return TOO_MANY_MEMBERS;
  if (close >= 0) return 0;
  if (!isHttp10) return IS_PERSISTENT;
  const keepAlive = findMember(KEEP_ALIVE);
  if (keepAlive === TOO_MANY_MEMBERS) return TOO_MANY_MEMBERS;
  return keepAlive >= 0 ? IS_PERSISTENT : 0;
}
