/**
 * Splits bytes from USB into lines (docs/spec/usb.md#line-limit): LF ends a line, CR is ignored anywhere, empty lines
 * are skipped. Bytes from the port go directly to `room()`; `feed` finds the first line among them, and `finish` each
 * further one, in place. The line and the data of a chunk are in the results (`layout.ts`), valid until the next `room()`.
 *
 *   |  returned  |    incomplete line    | just arrived |   room   |
 *                ^ start                 ^ fresh        ^ end      ^ LINES_END
 *
 * Of a line over the limit, the beginning is found once; the rest, up to the next LF, is dropped.
 */
import { copy, load8, store8, store32 } from "../memory.js";
import { cutArriving, cutChunk, dataEnd, prepareBase64, restEnd } from "./chunk-line.js";
import {
  BEGINNING,
  CHUNK_LINE,
  DATA,
  LINE_LIMIT_BYTES,
  LINES,
  LINES_END,
  MEMORY_BYTES,
  NOTHING,
  RESULT_DATA,
  RESULT_LINE,
  SHORT_LINE_LIMIT_BYTES,
  WHOLE_LINE,
} from "./layout.js";

const LF: i32 = 0x0a;
const CR: i32 = 0x0d;
const ABOVE_CR: i32 = 0x0e;
/** Bytes that are searched together, in a third of the time, since nearly all bytes are text. */
const STRIDE_BYTES: i32 = 8;

let start: i32 = LINES;
/** From here on, bytes have not been searched for LF. */
let fresh: i32 = LINES;
let end: i32 = LINES;
let isDropping: boolean = false;

export function memoryBytes(): i32 {
  return MEMORY_BYTES;
}

/** Drops all bytes, including an incomplete line. */
export function begin(_first: i32, _second: i32): i32 {
  start = LINES;
  fresh = LINES;
  end = LINES;
  isDropping = false;
  prepareBase64();
  return 0;
}

/** Moves the incomplete line to the start; it is shorter than the buffer, since all bytes have been searched. */
export function room(): i32 {
  if (start > LINES) copy(LINES, start, end - start);
  end -= start - LINES;
  start = LINES;
  fresh = end;
  return end;
}

/** @returns what was found */
export function feed(byteLength: i32): i32 {
  if (byteLength < 0 || byteLength > LINES_END - end) return NOTHING;
  const to = end + byteLength;
  const line = start;
  const lineEnd = line === end && !isDropping ? cutArriving(line, to) : -1;
  if (lineEnd >= 0) start = lineEnd + 1;
  let at = lineEnd < 0 ? end : start;
  while (at <= to - STRIDE_BYTES && !mayEndSpan(at)) at += STRIDE_BYTES;
  while (at < to && !endsSpan(load8(at))) at++;
  fresh = at;
  end = withoutReturns(at, to);
  return lineEnd < 0 ? findLine() : foundChunk(line);
}

/** @returns what was found */
export function finish(): i32 {
  return findLine();
}

/** Whether there may be a CR or LF among the next bytes: whether one of them is below CR + 1. */
function mayEndSpan(at: i32): boolean {
  const first = (load8(at) - ABOVE_CR) | (load8(at + 1) - ABOVE_CR);
  const second = (load8(at + 2) - ABOVE_CR) | (load8(at + 3) - ABOVE_CR);
  const third = (load8(at + 4) - ABOVE_CR) | (load8(at + 5) - ABOVE_CR);
  const fourth = (load8(at + 6) - ABOVE_CR) | (load8(at + 7) - ABOVE_CR);
  return (first | second | third | fourth) < 0;
}

/** Whether the byte is CR or LF. */
function endsSpan(byte: i32): boolean {
  return byte <= CR && (byte === CR || byte === LF);
}

/** Removes CRs. @returns the new end */
function withoutReturns(from: i32, to: i32): i32 {
  let next = from;
  for (let at = from; at < to; at++) {
    const byte = load8(at);
    if (byte === CR) continue;
    if (next !== at) store8(next, byte);
    next++;
  }
  return next;
}

function findLine(): i32 {
  const limit = end;
  for (let at = fresh; at < limit; at++) {
    if (load8(at) !== LF) continue;
    const line = start;
    fresh = at + 1;
    start = fresh;
    if (isDropping) isDropping = false;
    else if (at > line) return found(line, at);
  }
  fresh = limit;
  if (isDropping) {
    start = end;
    return NOTHING;
  }
  return end - start > LINE_LIMIT_BYTES ? beginning() : NOTHING;
}

function found(from: i32, to: i32): i32 {
  if (to - from > SHORT_LINE_LIMIT_BYTES && cutChunk(from, to)) return foundChunk(from);
  store32(RESULT_LINE, from | (to << 16));
  return WHOLE_LINE;
}

function foundChunk(from: i32): i32 {
  store32(RESULT_LINE, from | (restEnd << 16));
  store32(RESULT_DATA, DATA | (dataEnd << 16));
  return CHUNK_LINE;
}

/** Of an incomplete line over the limit. */
function beginning(): i32 {
  store32(RESULT_LINE, start | ((start + LINE_LIMIT_BYTES) << 16));
  start = end;
  isDropping = true;
  return BEGINNING;
}
