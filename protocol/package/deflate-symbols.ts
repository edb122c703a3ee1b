/** The symbols of deflate and what they mean (RFC 1951 §3.2.5 to §3.2.7). */

/** Symbols of the fixed codes: literals, the end of the block, lengths; and distances. */
export const LITERALS = 288;
export const DISTANCES = 32;
/** Symbols 286, 287 and distances 30, 31 complete the fixed codes and mean nothing (RFC 1951 §3.2.6). */
export const MEANT_LITERALS = 286;
export const MEANT_DISTANCES = 30;
/** Symbols of the code that the lengths of the other codes are written in. */
export const CODE_LENGTHS = 19;
export const END_OF_BLOCK = 256;
export const FIRST_LENGTH = 257;

/** In which order the lengths of the code of the code lengths come (RFC 1951 §3.2.7). */
export const CODE_LENGTH_ORDER = Uint8Array.of(
  ...[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15],
);
/** What a length or distance symbol begins at, and how many bits are added to it (RFC 1951 §3.2.5). */
export const LENGTH_BASE = Uint16Array.of(
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163],
  ...[195, 227, 258],
);
export const LENGTH_BITS = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);
export const DISTANCE_BASE = Uint16Array.of(
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073],
  ...[4097, 6145, 8193, 12289, 16385, 24577],
);
export const DISTANCE_BITS = Uint8Array.of(
  ...[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13],
);

/** Bits that say how often a code length is repeated (RFC 1951 §3.2.7). */
export function repeatBits(symbol: number): number {
  if (symbol < 16) return 0;
  if (symbol === 16) return 2;
  return symbol === 17 ? 3 : 7;
}
