/** The inflater's memory: addresses in bytes, and the numbers by which its modules report to each other. */

/** Maximum distance of a match (RFC 1951 §3.2.5), and so the amount of output to keep. */
export const WINDOW_BYTES: i32 = 32768;
/** Output per piece: a sector of flash. It divides the window, so that no piece wraps around. */
export const PIECE_BYTES: i32 = 4096;
export const INPUT_BYTES: i32 = 2048;

/** Symbols in the fixed codes: literals, end of block and lengths; and distances (RFC 1951 §3.2.6). */
export const LITERAL_SYMBOLS: i32 = 288;
export const DISTANCE_SYMBOLS: i32 = 32;
/** Number of symbols in the code that encodes the lengths of the other codes. */
export const CODE_LENGTH_SYMBOLS: i32 = 19;

/** A code takes this and two bytes for each of its symbols (`huffman-code.ts`). */
export const CODE_HEAD_BYTES: i32 = 1096;

// The window begins at 0, which makes offsets in it addresses.
export const INPUT: i32 = WINDOW_BYTES;
export const LITERALS: i32 = INPUT + INPUT_BYTES;
/** The distance code; while the head of a block is read, the code length code. */
export const DISTANCES: i32 = LITERALS + CODE_HEAD_BYTES + 2 * LITERAL_SYMBOLS;
export const LENGTHS: i32 = DISTANCES + CODE_HEAD_BYTES + 2 * DISTANCE_SYMBOLS;
export const CRC_TABLE: i32 = LENGTHS + LITERAL_SYMBOLS + DISTANCE_SYMBOLS;
/** The bytes of a gzip header or trailer that arrive in pieces. */
export const FIELD: i32 = CRC_TABLE + 1024;
export const MEMORY_BYTES: i32 = FIELD + 12;

// What a part of the work ends with; a negative number is a fault.

/** Go on with the next part. */
export const NEXT: i32 = 0;
/** More input is needed. */
export const WAIT: i32 = 1;
/** A piece of output is ready, or much was done for few bytes of input: let the caller yield. */
export const STEP: i32 = 2;

// Faults; `protocol/package/gzip-reader.ts` has their texts.

export const BLOCK_TYPE: i32 = -1;
export const STORED_LENGTH: i32 = -2;
export const CODE_COUNT: i32 = -3;
export const CODE_LENGTH_CODE: i32 = -4;
export const NOTHING_TO_REPEAT: i32 = -5;
export const LENGTH_COUNT: i32 = -6;
export const NO_END_OF_BLOCK: i32 = -7;
export const LITERALS_INCOMPLETE: i32 = -8;
export const LITERALS_OVERSUBSCRIBED: i32 = -9;
export const DISTANCES_INCOMPLETE: i32 = -10;
export const DISTANCES_OVERSUBSCRIBED: i32 = -11;
export const NO_LITERAL: i32 = -12;
export const NO_LENGTH: i32 = -13;
export const NO_DISTANCE: i32 = -14;
export const BEFORE_BEGINNING: i32 = -15;
export const NOT_GZIP: i32 = -16;
export const BYTES_FOLLOW: i32 = -17;
export const METHOD: i32 = -18;
export const FLAGS: i32 = -19;
export const HEADER_CHECKSUM: i32 = -20;
export const CONTENT_CHECKSUM: i32 = -21;
export const CONTENT_LENGTH: i32 = -22;
export const TOO_EARLY: i32 = -23;
