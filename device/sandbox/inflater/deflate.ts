/**
 * Inflates a deflate stream (RFC 1951). The window is also the output buffer: it is filled piece by piece, and a step
 * ends with each full piece.
 *
 * Accepts the same streams as zlib, the de facto standard: a code must be complete, except that a single distance or
 * literal code of one bit is allowed, and that there can be no distance codes.
 */
import { copy, fill, load8, load16, store8 } from "../memory.js";
import { at, bitCount, bits, dropBits, end, giveBackBytes, moveTo, need, setBits, takeBits } from "./bits.js";
import { buildCode, COMPLETE, INCOMPLETE, longEntry, OVERSUBSCRIBED, PRIMARY_MASK } from "./huffman-code.js";
import {
  BEFORE_BEGINNING,
  BLOCK_TYPE,
  CODE_COUNT,
  CODE_LENGTH_CODE,
  CODE_LENGTH_SYMBOLS,
  DISTANCE_SYMBOLS,
  DISTANCES,
  DISTANCES_INCOMPLETE,
  DISTANCES_OVERSUBSCRIBED,
  LENGTH_COUNT,
  LENGTHS,
  LITERAL_SYMBOLS,
  LITERALS,
  LITERALS_INCOMPLETE,
  LITERALS_OVERSUBSCRIBED,
  NEXT,
  NO_DISTANCE,
  NO_END_OF_BLOCK,
  NO_LENGTH,
  NO_LITERAL,
  NOTHING_TO_REPEAT,
  PIECE_BYTES,
  STEP,
  STORED_LENGTH,
  WAIT,
  WINDOW_BYTES,
} from "./layout.js";

const END_OF_BLOCK: i32 = 256;
const FIRST_LENGTH: i32 = 257;
/** Symbols 286, 287 and distances 30, 31 only complete the fixed codes and are invalid in data (RFC 1951 §3.2.6). */
const MEANT_LITERALS: i32 = 286;
const MEANT_DISTANCES: i32 = 30;

// Part of the stream that is being read.
const BLOCK: i32 = 0;
const STORED_HEAD: i32 = 1;
const STORED: i32 = 2;
const CODE_COUNTS: i32 = 3;
const CODE_LENGTH_LENGTHS: i32 = 4;
const CODE_LENGTHS: i32 = 5;
const CODES: i32 = 6;
const END: i32 = 7;

let phase: i32 = BLOCK;
let isLastBlock: i32 = 0;
let hasFixedCodes: i32 = 0;

/** Window offsets of the next byte and of the current piece, and whether the whole window has been filled once. */
let position: i32 = 0;
let pieceStart: i32 = 0;
let isWindowFull: i32 = 0;

/** Bytes left to copy from a match or a stored block; and the distance of the match, 0 if not read yet. */
let length: i32 = 0;
let distance: i32 = 0;
/** A distance symbol whose extra bits are not read yet; -1 if there is none. */
let distanceSymbol: i32 = -1;

let literalCount: i32 = 0;
let distanceCount: i32 = 0;
let codeLengthCount: i32 = 0;
/** Number of code lengths read so far. */
let lengthCount: i32 = 0;

/** For a new task: the memory may be that of another. */
export function forgetCodes(): void {
  hasFixedCodes = 0;
  isLastBlock = 0;
  literalCount = 0;
  distanceCount = 0;
  codeLengthCount = 0;
  lengthCount = 0;
}

/** Prepare for another stream, which cannot refer to output of the one before. */
export function beginStream(): void {
  phase = BLOCK;
  setBits(at, 0, 0);
  position = 0;
  pieceStart = 0;
  isWindowFull = 0;
  length = 0;
  distance = 0;
  distanceSymbol = -1;
}

/** Whether the last block has ended. */
export function isStreamEnd(): boolean {
  return phase === END;
}

/** Bytes of output that are ready: a full piece, or what is left at the end of the stream. */
export function outputBytes(): i32 {
  return position - pieceStart;
}

/** Call when the output has been passed on. @returns address at which it began */
export function takeOutput(): i32 {
  const from = pieceStart;
  if (position === WINDOW_BYTES) {
    position = 0;
    isWindowFull = 1;
  }
  pieceStart = position;
  return from;
}

/**
 * Inflate until the input is used up, a piece of output is ready, the head of a block has been read, or the stream has
 * ended.
 * @returns `WAIT`, `STEP` or a fault
 */
export function inflate(): i32 {
  let result = NEXT;
  while (result === NEXT) result = advance();
  if (result === STEP) giveBackBytes();
  return result;
}

function advance(): i32 {
  switch (phase) {
    case BLOCK:
      return readBlockHead();
    case STORED_HEAD:
      return readStoredLength();
    case STORED:
      return copyStored();
    case CODE_COUNTS:
      return readCodeCounts();
    case CODE_LENGTH_LENGTHS:
      return readCodeLengthLengths();
    case CODE_LENGTHS:
      return readCodeLengths();
    case CODES:
      return inflateCodes();
    default:
      return STEP;
  }
}

function readBlockHead(): i32 {
  if (!need(3)) return WAIT;
  const head = takeBits(3);
  isLastBlock = head & 1;
  switch (head >> 1) {
    case 0:
      dropBits(bitCount & 7);
      phase = STORED_HEAD;
      return NEXT;
    case 1:
      useFixedCodes();
      phase = CODES;
      return NEXT;
    case 2:
      phase = CODE_COUNTS;
      return NEXT;
    default:
      return BLOCK_TYPE;
  }
}

/** Read the length and its complement, 16 bits each, separately: 32 bits do not fit beside the bits already held. */
function readStoredLength(): i32 {
  if (length === 0) {
    if (!need(16)) return WAIT;
    length = takeBits(16) + 1; // plus 1, since 0 means not read yet
  }
  if (!need(16)) return WAIT;
  length--;
  if (takeBits(16) !== (length ^ 0xffff)) return STORED_LENGTH;
  giveBackBytes();
  phase = STORED;
  return NEXT;
}

function copyStored(): i32 {
  const copied = least(length, end - at, pieceStart + PIECE_BYTES - position);
  copy(position, at, copied);
  moveTo(at + copied);
  position += copied;
  length -= copied;
  if (length === 0) endBlock();
  if (isPieceFull()) return STEP;
  return phase === STORED ? WAIT : NEXT;
}

function readCodeCounts(): i32 {
  if (!need(14)) return WAIT;
  literalCount = FIRST_LENGTH + takeBits(5);
  distanceCount = 1 + takeBits(5);
  codeLengthCount = 4 + takeBits(4);
  if (literalCount > MEANT_LITERALS || distanceCount > MEANT_DISTANCES) return CODE_COUNT;
  fill(LENGTHS, 0, CODE_LENGTH_SYMBOLS);
  lengthCount = 0;
  phase = CODE_LENGTH_LENGTHS;
  return NEXT;
}

function readCodeLengthLengths(): i32 {
  while (lengthCount < codeLengthCount) {
    if (!need(3)) return WAIT;
    store8(LENGTHS + codeLengthSymbol(lengthCount), takeBits(3));
    lengthCount++;
  }
  if (buildCode(DISTANCES, LENGTHS, CODE_LENGTH_SYMBOLS) !== COMPLETE) return CODE_LENGTH_CODE;
  lengthCount = 0;
  phase = CODE_LENGTHS;
  return NEXT;
}

/** Order in which the lengths of the code length code are stored (RFC 1951 §3.2.7): 16, 17, 18, 0, 8, 7, 9, 6, 10, …, 1, 15. */
function codeLengthSymbol(index: i32): i32 {
  if (index < 3) return 16 + index;
  if (index === 3) return 0;
  const half = (index - 4) >> 1;
  return (index & 1) === 0 ? 8 + half : 7 - half;
}

function readCodeLengths(): i32 {
  const total = literalCount + distanceCount;
  while (lengthCount < total) {
    need(14); // the longest code (7) and its extra bits (7), if available
    const entry = load16(DISTANCES + ((bits & PRIMARY_MASK) << 1));
    const symbol = entry >> 4;
    if ((entry & 15) + repeatBits(symbol) > bitCount) return WAIT;
    dropBits(entry & 15);
    if (symbol < 16) {
      store8(LENGTHS + lengthCount, symbol);
      lengthCount++;
    } else {
      const result = repeatLength(symbol, total);
      if (result !== NEXT) return result;
    }
  }
  const result = buildCodes(total);
  if (result !== NEXT) return result;
  hasFixedCodes = 0;
  phase = CODES;
  return STEP; // building codes is much work for few input bytes
}

/** Number of extra bits that give the repeat count of a code length (RFC 1951 §3.2.7). */
function repeatBits(symbol: i32): i32 {
  if (symbol < 16) return 0;
  if (symbol === 16) return 2;
  return symbol === 17 ? 3 : 7;
}

function repeatLength(symbol: i32, total: i32): i32 {
  if (symbol === 16 && lengthCount === 0) return NOTHING_TO_REPEAT;
  const value = symbol === 16 ? load8(LENGTHS + lengthCount - 1) : 0;
  const repeated = (symbol === 18 ? 11 : 3) + takeBits(repeatBits(symbol));
  if (lengthCount + repeated > total) return LENGTH_COUNT;
  fill(LENGTHS + lengthCount, value, repeated);
  lengthCount += repeated;
  return NEXT;
}

function buildCodes(total: i32): i32 {
  if (load8(LENGTHS + END_OF_BLOCK) === 0) return NO_END_OF_BLOCK;
  const literals = buildCode(LITERALS, LENGTHS, literalCount);
  if (literals === INCOMPLETE) return LITERALS_INCOMPLETE;
  if (literals === OVERSUBSCRIBED) return LITERALS_OVERSUBSCRIBED;
  const distances = buildCode(DISTANCES, LENGTHS + literalCount, total - literalCount);
  if (distances === INCOMPLETE) return DISTANCES_INCOMPLETE;
  if (distances === OVERSUBSCRIBED) return DISTANCES_OVERSUBSCRIBED;
  return NEXT;
}

function useFixedCodes(): void {
  if (hasFixedCodes !== 0) return;
  fill(LENGTHS, 8, LITERAL_SYMBOLS);
  fill(LENGTHS + 144, 9, 112);
  fill(LENGTHS + 256, 7, 24);
  buildCode(LITERALS, LENGTHS, LITERAL_SYMBOLS);
  fill(LENGTHS, 5, DISTANCE_SYMBOLS);
  buildCode(DISTANCES, LENGTHS, DISTANCE_SYMBOLS);
  hasFixedCodes = 1;
}

/**
 * Literals and matches until the end of the block, the piece or the input. Module variables are kept in local ones,
 * which compilers keep in registers. It consumes nothing of a symbol if bits of it are missing.
 */
function inflateCodes(): i32 {
  const pieceEnd = pieceStart + PIECE_BYTES;
  let from = at;
  let held = bits;
  let count = bitCount;
  let to = position;
  let left = length;
  let back = distance;
  let symbol = distanceSymbol;
  let result = NEXT;

  while (to < pieceEnd) {
    if (left === 0) {
      while (count < 15 && from < end) {
        held |= load8(from) << count;
        from++;
        count += 8;
      }
      let entry = load16(LITERALS + ((held & PRIMARY_MASK) << 1));
      if ((entry & 15) === 0) {
        entry = longEntry(LITERALS, entry, held, count);
        if (entry === 0) {
          result = count < 15 ? WAIT : NO_LITERAL;
          break;
        }
      }
      const codeBits = entry & 15;
      if (codeBits > count) {
        result = WAIT;
        break;
      }
      const literal = entry >> 4;
      if (literal <= END_OF_BLOCK) {
        held >>= codeBits;
        count -= codeBits;
        if (literal === END_OF_BLOCK) {
          phase = END; // or another block: endBlock() decides
          break;
        }
        store8(to, literal);
        to++;
        continue;
      }
      if (literal >= MEANT_LITERALS) {
        result = NO_LENGTH;
        break;
      }
      const added = lengthBits(literal - FIRST_LENGTH);
      if (codeBits + added > count && from < end) {
        held |= load8(from) << count;
        from++;
        count += 8;
      }
      if (codeBits + added > count) {
        result = WAIT;
        break;
      }
      held >>= codeBits;
      left = lengthBase(literal - FIRST_LENGTH, added) + (held & ((1 << added) - 1));
      held >>= added;
      count -= codeBits + added;
    }
    if (back === 0) {
      while (count < 15 && from < end) {
        held |= load8(from) << count;
        from++;
        count += 8;
      }
      if (symbol < 0) {
        let entry = load16(DISTANCES + ((held & PRIMARY_MASK) << 1));
        if ((entry & 15) === 0) {
          entry = longEntry(DISTANCES, entry, held, count);
          if (entry === 0) {
            result = count < 15 ? WAIT : NO_DISTANCE;
            break;
          }
        }
        const codeBits = entry & 15;
        if (codeBits > count) {
          result = WAIT;
          break;
        }
        held >>= codeBits;
        count -= codeBits;
        symbol = entry >> 4;
        if (symbol >= MEANT_DISTANCES) {
          result = NO_DISTANCE;
          break;
        }
      }
      const added = distanceBits(symbol);
      while (count < added && from < end) {
        held |= load8(from) << count;
        from++;
        count += 8;
      }
      if (count < added) {
        result = WAIT;
        break;
      }
      back = distanceBase(symbol, added) + (held & ((1 << added) - 1));
      held >>= added;
      count -= added;
      symbol = -1;
      if (back > to && isWindowFull === 0) {
        result = BEFORE_BEGINNING;
        break;
      }
    }
    const source = to < back ? to - back + WINDOW_BYTES : to - back;
    const copied = least(left, pieceEnd - to, WINDOW_BYTES - source);
    copyMatch(to, source, copied);
    to += copied;
    left -= copied;
    if (left === 0) back = 0;
  }

  setBits(from, held, count);
  position = to;
  length = left;
  distance = back;
  distanceSymbol = symbol;
  if (phase === END) endBlock();
  if (result < 0) return result;
  return isPieceFull() ? STEP : result;
}

/** A match can overlap what it produces: then its bytes are those just written. */
function copyMatch(to: i32, from: i32, byteLength: i32): void {
  if (to - from >= byteLength || from >= to) copy(to, from, byteLength);
  else if (to - from === 1) fill(to, load8(from), byteLength);
  else for (let done: i32 = 0; done < byteLength; done++) store8(to + done, load8(from + done));
}

// Base values and numbers of extra bits of length and distance symbols, counted from 0 (RFC 1951 §3.2.5): each four
// lengths and each two distances have one bit more than those before.

function lengthBits(symbol: i32): i32 {
  return symbol < 8 || symbol === 28 ? 0 : (symbol >> 2) - 1;
}

function lengthBase(symbol: i32, added: i32): i32 {
  if (symbol < 8) return 3 + symbol;
  return symbol === 28 ? 258 : 3 + ((4 + (symbol & 3)) << added);
}

function distanceBits(symbol: i32): i32 {
  return symbol < 4 ? 0 : (symbol >> 1) - 1;
}

function distanceBase(symbol: i32, added: i32): i32 {
  return symbol < 4 ? 1 + symbol : 1 + ((2 + (symbol & 1)) << added);
}

function endBlock(): void {
  phase = isLastBlock !== 0 ? END : BLOCK;
}

function isPieceFull(): boolean {
  return position - pieceStart === PIECE_BYTES;
}

function least(one: i32, other: i32, third: i32): i32 {
  const less = one < other ? one : other;
  return less < third ? less : third;
}
