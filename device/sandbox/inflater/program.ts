/**
 * Unpacks a gzip file (RFC 1952) as it arrives, in 39 KB of memory. ADR 5 explains why it does not use another library.
 *
 * A file has one or more members, whose contents are concatenated (§2.2), as in gzip and zlib. Bytes after the last
 * member are rejected: gzip skips padding there, but a package must not contain bytes without a meaning.
 *
 * Header fields are checked where possible and otherwise skipped, since a package does not use names and times. The
 * CRC and length in the trailer are compared after all output has been passed on.
 *
 * `feed` ends with at most one piece of output, and returns, from the lowest bit: how many bytes of input it consumed
 * (12 bits), how many bytes of output are ready (13), the number of their piece in the window (3), whether the content
 * of a member has ended (1), and whether it could go on without more input (1). A negative number is a fault.
 *
 * Work is bounded: for every byte of input and of output a few steps, and for the head of a block, with which a call
 * ends, those that fill two tables.
 */
import { load8, load16, load32, store8 } from "../memory.js";
import { at, end, moveTo, setInput } from "./bits.js";
import { crc32, fillCrcTable } from "./crc32.js";
import { beginStream, forgetCodes, inflate, isStreamEnd, outputBytes, takeOutput } from "./deflate.js";
import {
  BYTES_FOLLOW,
  CONTENT_CHECKSUM,
  CONTENT_LENGTH,
  FIELD,
  FLAGS,
  HEADER_CHECKSUM,
  INPUT,
  INPUT_BYTES,
  MEMORY_BYTES,
  METHOD,
  NEXT,
  NOT_GZIP,
  PIECE_BYTES,
  STEP,
  TOO_EARLY,
  WAIT,
} from "./layout.js";

// Part of the member that comes next, in file order. Those from EXTRA_LENGTH to HEADER_CRC depend on flags.
const HEADER: i32 = 0;
const EXTRA_LENGTH: i32 = 1;
const EXTRA: i32 = 2;
const NAME: i32 = 3;
const COMMENT: i32 = 4;
const HEADER_CRC: i32 = 5;
const CONTENT: i32 = 6;
const TRAILER: i32 = 7;

/** ID1, ID2, CM, FLG, MTIME, XFL, OS (§2.3). */
const HEADER_BYTES: i32 = 10;
const TRAILER_BYTES: i32 = 8;
/** ID1 and ID2 as a number. */
const MAGIC: i32 = 0x8b1f;
const DEFLATE: i32 = 8;
/** Flags (§2.3.1); FTEXT is ignored. */
const FHCRC: i32 = 2;
const FEXTRA: i32 = 4;
const FNAME: i32 = 8;
const FCOMMENT: i32 = 16;
const RESERVED_FLAGS: i32 = 0xe0;

let phase: i32 = HEADER;
/** Bytes of the phase: how many are needed, and how many have arrived. */
let needed: i32 = HEADER_BYTES;
let arrived: i32 = 0;
/** Flags of the header fields not read yet. */
let flags: i32 = 0;
let isFirst: i32 = 1;
/** CRC-32 of the header, then of the content; and the length of the content modulo 2^32, as ISIZE. */
let checksum: i32 = 0;
let contentBytes: i32 = 0;
let fault: i32 = 0;

export function memoryBytes(): i32 {
  return MEMORY_BYTES;
}

/** @returns how many bytes `room` takes */
export function begin(_first: i32, _second: i32): i32 {
  fillCrcTable();
  setInput(INPUT, 0);
  beginStream();
  forgetCodes();
  enter(HEADER, HEADER_BYTES);
  flags = 0;
  isFirst = 1;
  checksum = 0;
  contentBytes = 0;
  fault = 0;
  return INPUT_BYTES;
}

export function room(): i32 {
  return INPUT;
}

export function feed(byteLength: i32): i32 {
  if (fault !== 0) return fault;
  setInput(INPUT, byteLength);
  let result = NEXT;
  while (result === NEXT) result = phase === CONTENT ? inflate() : takeField();
  if (result < 0) {
    fault = result;
    return result;
  }
  return answer(result === STEP ? 1 : 0);
}

/** @returns 0, or the fault of a file that is not complete */
export function finish(): i32 {
  if (fault !== 0) return fault;
  return isFirst !== 0 || phase !== HEADER || arrived > 0 ? TOO_EARLY : 0;
}

/** The number that `feed` returns; output that is ready is taken. */
function answer(goesOn: i32): i32 {
  const isEnd = phase === CONTENT && isStreamEnd() ? 1 : 0;
  let output: i32 = 0;
  let piece: i32 = 0;
  if (isEnd !== 0 || outputBytes() === PIECE_BYTES) {
    output = outputBytes();
    const from = takeOutput();
    piece = from >> 12;
    checksum = crc32(checksum, from, from + output);
    contentBytes = (contentBytes + output) | 0;
  }
  if (isEnd !== 0) enter(TRAILER, TRAILER_BYTES);
  return (at - INPUT) | (output << 12) | (piece << 25) | (isEnd << 28) | (goesOn << 29);
}

function takeField(): i32 {
  if (at === end) return WAIT;
  return phase === NAME || phase === COMMENT ? takeText() : takeBytes();
}

function takeText(): i32 {
  const from = at;
  let next = at;
  let byte: i32 = 1;
  while (byte !== 0 && next < end) {
    byte = load8(next);
    next++;
  }
  moveTo(next);
  checksum = crc32(checksum, from, next);
  return byte === 0 ? enterNextField() : WAIT;
}

function takeBytes(): i32 {
  const missing = needed - arrived;
  const taken = missing < end - at ? missing : end - at;
  if (phase !== EXTRA)
    for (let done: i32 = 0; done < taken; done++) store8(FIELD + arrived + done, load8(at + done));
  if (phase !== HEADER_CRC && phase !== TRAILER) checksum = crc32(checksum, at, at + taken);
  moveTo(at + taken);
  arrived += taken;
  return arrived === needed ? endField() : WAIT;
}

function endField(): i32 {
  switch (phase) {
    case HEADER:
      return endHeader();
    case EXTRA_LENGTH: {
      const byteLength = load16(FIELD);
      if (byteLength === 0) return enterNextField();
      enter(EXTRA, byteLength);
      return NEXT;
    }
    case HEADER_CRC:
      return load16(FIELD) === (checksum & 0xffff) ? enterNextField() : HEADER_CHECKSUM;
    case TRAILER:
      return endMember();
    default:
      return enterNextField();
  }
}

function endHeader(): i32 {
  if (load16(FIELD) !== MAGIC) return isFirst !== 0 ? NOT_GZIP : BYTES_FOLLOW;
  if (load8(FIELD + 2) !== DEFLATE) return METHOD;
  flags = load8(FIELD + 3);
  return (flags & RESERVED_FLAGS) !== 0 ? FLAGS : enterNextField();
}

function enterNextField(): i32 {
  if (takeFlag(FEXTRA)) enter(EXTRA_LENGTH, 2);
  else if (takeFlag(FNAME)) enter(NAME, 0);
  else if (takeFlag(FCOMMENT)) enter(COMMENT, 0);
  else if (takeFlag(FHCRC)) enter(HEADER_CRC, 2);
  else enterContent();
  return NEXT;
}

/** Whether the field of this flag comes next; clears the flag. */
function takeFlag(flag: i32): boolean {
  const hasField = (flags & flag) !== 0;
  flags &= ~flag;
  return hasField;
}

function enterContent(): void {
  checksum = 0;
  contentBytes = 0;
  beginStream();
  enter(CONTENT, 0);
}

function endMember(): i32 {
  if (load32(FIELD) !== checksum) return CONTENT_CHECKSUM;
  if (load32(FIELD + 4) !== contentBytes) return CONTENT_LENGTH;
  isFirst = 0;
  checksum = 0;
  enter(HEADER, HEADER_BYTES);
  return NEXT;
}

function enter(next: i32, byteLength: i32): void {
  phase = next;
  needed = byteLength;
  arrived = 0;
}
