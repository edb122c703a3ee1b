/**
 * The fixed Huffman codes of deflate (RFC 1951 §3.2.6), stored bit-reversed, ready to be written from the lowest bit
 * on: a code is sent from its highest bit, everything else from its lowest. A code and its length are one number, so
 * that a lookup in a hot loop makes no object: `code | length << LENGTH_SHIFT`.
 */

/** A distance is the longest: 5 bits and 13 extra ones. */
export const LENGTH_SHIFT = 18;
export const CODE_MASK = (1 << LENGTH_SHIFT) - 1;

/** Shortest and longest match. */
export const MATCH_MINIMUM_BYTES = 3;
export const MATCH_LIMIT_BYTES = 258;

/** The end of a block: symbol 256, seven zero bits. */
export const END_OF_BLOCK_BITS = 7;

/** Literals that are a value of five or six bits, spread to eight as a display does, by that value. */
export const LITERALS_OF_5_BITS = literals(32, (value) => (value << 3) | (value >> 2));
export const LITERALS_OF_6_BITS = literals(64, (value) => (value << 2) | (value >> 4));

/** The literal 0. */
export const LITERAL_ZERO = literalOf(0);

/** Lengths of matches with their extra bits, from {@link MATCH_MINIMUM_BYTES} on. */
export const MATCH_LENGTHS = matchLengths();

function literals(count: number, byteOf: (value: number) => number): readonly number[] {
  const codes: number[] = [];
  for (let value = 0; value < count; value++) codes.push(literalOf(byteOf(value)));
  return Object.freeze(codes);
}

function literalOf(byte: number): number {
  return byte < 144 ? packed(0x30 + byte, 8) : packed(0x190 + byte - 144, 9);
}

function matchLengths(): readonly number[] {
  const lengths: number[] = [];
  for (let excess = 0; excess < MATCH_LIMIT_BYTES - MATCH_MINIMUM_BYTES; excess++)
    lengths.push(matchLength(excess));
  lengths.push(lengthSymbol(285)); // the longest has a symbol of its own
  return Object.freeze(lengths);
}

function matchLength(excess: number): number {
  if (excess < 8) return lengthSymbol(257 + excess);
  // RFC 1951 §3.2.5: from here on four symbols for each power of two, with a bit more each time.
  const extraBits = 29 - Math.clz32(excess);
  const symbol = lengthSymbol(257 + 4 * extraBits + (excess >> extraBits));
  return withExtra(symbol, excess & ((1 << extraBits) - 1), extraBits);
}

/** How far back a match lies, with its extra bits. @param byteLength from 1 to 32768 */
export function matchDistance(byteLength: number): number {
  const excess = byteLength - 1;
  if (excess < 4) return packed(excess, 5);
  // Two symbols for each power of two.
  const extraBits = 30 - Math.clz32(excess);
  const symbol = 2 * extraBits + (excess >> extraBits);
  return withExtra(packed(symbol, 5), excess & ((1 << extraBits) - 1), extraBits);
}

function lengthSymbol(symbol: number): number {
  return symbol < 280 ? packed(symbol - 256, 7) : packed(0xc0 + symbol - 280, 8);
}

function withExtra(symbol: number, extra: number, extraBits: number): number {
  const length = symbol >> LENGTH_SHIFT;
  return (symbol & CODE_MASK) | (extra << length) | ((length + extraBits) << LENGTH_SHIFT);
}

function packed(code: number, length: number): number {
  return reversed(code, length) | (length << LENGTH_SHIFT);
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let index = 0; index < length; index++) bits |= ((code >> index) & 1) << (length - 1 - index);
  return bits;
}
