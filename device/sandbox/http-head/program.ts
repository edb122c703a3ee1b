/**
 * Parses the head of an HTTP request (RFC 9112 §3 to §6). `begin` takes the names to recognise, `feed` bytes that begin
 * with a head; it checks all of the head and returns a summary: bits for the method, the framing, the host and the names
 * that occur. Positions and the length are in the results (`layout.ts`). Keeps nothing from one head to the next.
 */
import { load8, load32, store32 } from "../memory.js";
import {
  COLON,
  CR,
  DOT,
  fieldNameEnd,
  fieldValueEnd,
  isDigit,
  LF,
  SPACE,
  tokenEnd,
  toLowerCase,
  visibleEnd,
} from "./characters.js";
import { framingBits, persistenceBits } from "./framing.js";
import { hostBits } from "./host.js";
import {
  forgetFields,
  isPresent,
  learnNames,
  noteField,
  presentBits,
  readSingle,
  valueEnd,
  valueStart,
} from "./known-fields.js";
import {
  BAD_FIELD_NAME,
  BAD_FIELD_VALUE,
  BAD_LINE,
  BAD_REQUEST_LINE,
  BAD_VERSION,
  CONNECT,
  GET,
  HEAD,
  HEAD_BYTES,
  HEAD_METHOD,
  HOST,
  HOST_MISSING,
  HOST_REPEATED,
  IS_HTTP_10,
  LACKS_SLASH,
  MEMORY_BYTES,
  NOT_WHOLE,
  OPTIONS,
  OTHER_VERSION,
  POST,
  RESULT_HEAD,
  RESULT_HOST,
  RESULT_METHOD,
  RESULT_QUOTED,
} from "./layout.js";
import { lacksSlash, resolveTarget } from "./target.js";

const EMPTY_LINE_BYTES: i32 = 2;
const VERSION_BYTES: i32 = 8;

/** The head, from its request line to the end of its empty line. */
let headStart: i32 = 0;
let headEnd: i32 = 0;

export function memoryBytes(): i32 {
  return MEMORY_BYTES;
}

/**
 * @param first bytes at `room()`: names in lower case, with a colon after each; the first are those of `layout.ts`
 * @param _second ignored
 * @returns how many names, -1 for too many
 */
export function begin(first: i32, _second: i32): i32 {
  headStart = 0;
  headEnd = 0;
  return learnNames(first);
}

export function room(): i32 {
  return HEAD;
}

/** @returns the summary, or a fault below 0; {@link NOT_WHOLE} for bytes that do not begin with a whole head */
export function feed(byteLength: i32): i32 {
  if (byteLength > HEAD_BYTES || !findHead(HEAD + byteLength)) return NOT_WHOLE;
  store32(RESULT_HEAD, headStart | (headEnd << 16));
  forgetFields();
  const methodEnd = tokenEnd(headStart);
  const targetEnd = visibleEnd(methodEnd + 1);
  let lineEnd = targetEnd;
  while (load8(lineEnd) !== CR) lineEnd++;
  if (
    methodEnd === headStart ||
    load8(methodEnd) !== SPACE ||
    targetEnd === methodEnd + 1 ||
    load8(targetEnd) !== SPACE ||
    load8(lineEnd + 1) !== LF
  )
    return BAD_REQUEST_LINE;
  const fault = readFields(lineEnd + 2);
  if (fault !== 0) return fault;
  store32(RESULT_METHOD, headStart | (methodEnd << 16));
  const version = versionBits(targetEnd + 1, lineEnd);
  if (version < 0) return version;
  return summary(methodOf(headStart, methodEnd), methodEnd + 1, targetEnd, version);
}

export function finish(): i32 {
  return 0;
}

/** In the order in which faults are reported. */
function summary(method: i32, target: i32, targetEnd: i32, version: i32): i32 {
  const isHttp10 = version === IS_HTTP_10;
  let fault = readHost(isHttp10);
  if (fault !== 0) return fault;
  fault = resolveTarget(method, target, targetEnd);
  if (fault !== 0) return fault;
  const framing = framingBits(isHttp10);
  if (framing < 0) return framing;
  const persistence = persistenceBits(isHttp10);
  if (persistence < 0) return persistence;
  const host = load32(RESULT_HOST);
  return (
    (method === CONNECT ? 0 : method) |
    version |
    framing |
    persistence |
    (host === 0 ? 0 : hostBits(host & 0xffff, host >>> 16)) |
    (lacksSlash ? LACKS_SLASH : 0) |
    presentBits()
  );
}

/** Finds the end of the head, and skips empty lines before it (RFC 9112 §2.2). A bare LF ends no line. */
function findHead(end: i32): boolean {
  headStart = HEAD;
  let line = HEAD;
  for (let at = HEAD; at < end; at++) {
    if (load8(at) !== LF) continue;
    if (at === line || load8(at - 1) !== CR) return false;
    const isEmpty = at + 1 - line === EMPTY_LINE_BYTES;
    if (isEmpty && line !== headStart) {
      headEnd = at + 1;
      return true;
    }
    line = at + 1;
    if (isEmpty) headStart = line;
  }
  return false;
}

/** Checks the field lines, and notes those with a known name. @returns 0 or a fault */
function readFields(start: i32): i32 {
  let line = start;
  while (load8(line) !== CR) {
    const colon = fieldNameEnd(line);
    // RFC 9112 §5.1: reject a space before the colon. A folded line (§5.2) begins with a space.
    if (colon === line || load8(colon) !== COLON) return BAD_FIELD_NAME;
    const end = fieldValueEnd(colon + 1);
    if (load8(end) !== CR || load8(end + 1) !== LF) return BAD_FIELD_VALUE;
    noteField(line, colon, end);
    line = end + 2;
  }
  return line === headEnd - 2 ? 0 : BAD_LINE;
}

/** @returns one of the methods that have a number, 0 for others */
function methodOf(start: i32, end: i32): i32 {
  const word = load32(start);
  switch (end - start) {
    case 3:
      return word === 0x20544547 ? GET : 0; // with the space after it
    case 4:
      if (word === 0x44414548) return HEAD_METHOD;
      return word === 0x54534f50 ? POST : 0;
    case 7: // "OPTI", "IONS", "CONN", "NECT"
      if (word === 0x4954504f && load32(start + 3) === 0x534e4f49) return OPTIONS;
      if (word === 0x4e4e4f43 && load32(start + 3) === 0x5443454e) return CONNECT;
      return 0;
    default:
      return 0;
  }
}

/** @returns {@link IS_HTTP_10}, 0 for HTTP/1.1, or a fault */
function versionBits(start: i32, end: i32): i32 {
  const isVersion =
    end - start === VERSION_BYTES &&
    load32(start) === 0x50545448 && // "HTTP"
    load8(start + 4) === 0x2f &&
    isDigit(load8(start + 5)) &&
    load8(start + 6) === DOT &&
    isDigit(load8(start + 7));
  if (!isVersion) return BAD_VERSION;
  const number = load32(start + 4);
  if (number === 0x312e312f) return 0; // "/1.1"
  if (number === 0x302e312f) return IS_HTTP_10;
  store32(RESULT_QUOTED, start | (end << 16));
  return OTHER_VERSION;
}

/** RFC 9112 §3.2: exactly one Host in HTTP/1.1, and never two. @returns 0 or a fault */
function readHost(isHttp10: boolean): i32 {
  store32(RESULT_HOST, 0);
  if (!isPresent(HOST)) return isHttp10 ? 0 : HOST_MISSING;
  const fault = readSingle(HOST, HOST_REPEATED);
  if (fault !== 0) return fault;
  for (let at = valueStart; at < valueEnd; at++) toLowerCase(at);
  store32(RESULT_HOST, valueStart | (valueEnd << 16));
  return 0;
}
