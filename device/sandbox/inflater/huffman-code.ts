/**
 * A Huffman code of a deflate block (RFC 1951 §3.2.2), in memory that is reused for the code of the next block.
 *
 * Codes of up to {@link PRIMARY_BITS} bits, nearly all that occur, take one table look-up. Longer codes are found by
 * counting through the canonical order, in which codes of one length are consecutive numbers. A single table for codes
 * of 15 bits would be 64 KiB.
 *
 * A code is an address: there is the table of 16-bit entries by the next bits of the stream, its first bit lowest. An
 * entry is `symbol << 4 | length`. Length 0 means that the code is longer than the table's bits or does not exist; the
 * entry then contains the number of its prefix instead of a symbol. The other parts follow.
 */
import { copy, fill, load8, load16, store16 } from "../memory.js";
import { CODE_HEAD_BYTES } from "./layout.js";

const PRIMARY_BITS: i32 = 9;
export const PRIMARY_MASK: i32 = 511;
/** Longest code of deflate. */
const CODE_BITS: i32 = 15;

// Offsets in a code: the number of codes of each length; the place of the first symbol of each length; the first code
// of PRIMARY_BITS + 1 bits, as a number; and symbols in the order of their codes.
const COUNTS: i32 = 1024;
const STARTS: i32 = COUNTS + 32;
const FIRST_LONG_CODE: i32 = STARTS + 34;
const SYMBOLS: i32 = CODE_HEAD_BYTES;

// Whether code lengths form a code that deflate allows.
export const COMPLETE: i32 = 0;
const EMPTY: i32 = 1;
const SINGLE: i32 = 2;
export const INCOMPLETE: i32 = 3;
export const OVERSUBSCRIBED: i32 = 4;

/**
 * Build a code from the code length of each symbol, a byte; 0 for unused symbols.
 * @returns whether the code is usable; do not decode with an incomplete or oversubscribed one
 */
export function buildCode(code: i32, lengths: i32, symbols: i32): i32 {
  countLengths(code, lengths, symbols);
  const completeness = completenessOf(code, symbols);
  if (completeness >= INCOMPLETE) return completeness;
  sortSymbols(code, lengths, symbols);
  fillTable(code);
  return completeness;
}

/**
 * Find the entry of a code that is longer than the table's bits.
 * @param prefix the table's entry for `bits`
 * @param bits the next bits of the stream, of which `count` are valid
 * @returns 0 if the first `count` bits do not contain a code
 */
export function longEntry(code: i32, prefix: i32, bits: i32, count: i32): i32 {
  let value = prefix >> 4;
  let first = load16(code + FIRST_LONG_CODE);
  for (let length = PRIMARY_BITS + 1; length <= CODE_BITS && length <= count; length++) {
    value = (value << 1) | ((bits >> (length - 1)) & 1);
    const codes = load16(code + COUNTS + 2 * length);
    if (value - first < codes) {
      const place = load16(code + STARTS + 2 * length) + value - first;
      return (load16(code + SYMBOLS + 2 * place) << 4) | length;
    }
    first = (first + codes) << 1;
  }
  return 0;
}

function countLengths(code: i32, lengths: i32, symbols: i32): void {
  fill(code + COUNTS, 0, 2 * (CODE_BITS + 1));
  for (let symbol: i32 = 0; symbol < symbols; symbol++) {
    const count = code + COUNTS + 2 * load8(lengths + symbol);
    store16(count, load16(count) + 1);
  }
}

function completenessOf(code: i32, symbols: i32): i32 {
  const unused = load16(code + COUNTS);
  if (unused === symbols) return EMPTY;
  let left: i32 = 1;
  for (let length: i32 = 1; length <= CODE_BITS; length++) {
    left = (left << 1) - load16(code + COUNTS + 2 * length);
    if (left < 0) return OVERSUBSCRIBED;
  }
  if (left === 0) return COMPLETE;
  return load16(code + COUNTS + 2) === 1 && unused === symbols - 1 ? SINGLE : INCOMPLETE;
}

function sortSymbols(code: i32, lengths: i32, symbols: i32): void {
  const next = code + STARTS;
  store16(next + 2, 0);
  for (let length: i32 = 1; length <= CODE_BITS; length++)
    store16(next + 2 * (length + 1), load16(next + 2 * length) + load16(code + COUNTS + 2 * length));
  for (let symbol: i32 = 0; symbol < symbols; symbol++) {
    const length = load8(lengths + symbol);
    if (length === 0) continue;
    const place = load16(next + 2 * length);
    store16(code + SYMBOLS + 2 * place, symbol);
    store16(next + 2 * length, place + 1);
  }
  // Each entry now has the start of the next length: shift them back.
  copy(next + 2, next, 2 * CODE_BITS);
  store16(next + 2, 0);
}

/**
 * Each code is written once, at the index given by its bits with the first bit lowest. For each further bit the table
 * is doubled by copying, since that bit does not matter to shorter codes.
 */
function fillTable(code: i32): void {
  let reversed: i32 = 0;
  let value: i32 = 0;
  let place = code + SYMBOLS;
  store16(code, 0);
  for (let length: i32 = 1; length <= PRIMARY_BITS; length++) {
    copy(code + (1 << length), code, 1 << length);
    value <<= 1;
    for (let left = load16(code + COUNTS + 2 * length); left > 0; left--) {
      store16(code + 2 * reversed, (load16(place) << 4) | length);
      place += 2;
      reversed = increment(reversed, length);
      value++;
    }
  }
  store16(code + FIRST_LONG_CODE, value << 1);
  for (; value < 1 << PRIMARY_BITS; value++) {
    store16(code + 2 * reversed, value << 4);
    reversed = increment(reversed, PRIMARY_BITS);
  }
}

/** Add one to a bit-reversed number of `length` bits. */
function increment(reversed: i32, length: i32): i32 {
  let bit: i32 = 1 << (length - 1);
  while ((reversed & bit) !== 0) bit >>= 1;
  return bit === 0 ? 0 : (reversed & (bit - 1)) | bit;
}
