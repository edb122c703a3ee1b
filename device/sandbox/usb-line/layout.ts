/**
 * Memory of the program, and the numbers that `device/services/usb/line-reader.ts` reads.
 *
 *   results | values of base64 | lines | data
 */

export const MEMORY_BYTES: i32 = 9248;

// Results, an i32 each: an address and, shifted by 16 bits, the address after the last byte.
export const RESULT_LINE: i32 = 0;
export const RESULT_DATA: i32 = 4;

/** For each character its value in base64. */
export const VALUES: i32 = 16;
export const VALUES_BYTES: i32 = 256;

/** The lines, and the longest line with its LF, which distinguishes it from one that is too long. */
export const LINES: i32 = 272;
export const LINE_LIMIT_BYTES: i32 = 5120;
export const LINES_END: i32 = 5393;

/** Data, decoded: three quarters of a line. */
export const DATA: i32 = 5396;

/** A longer line is a request only with a chunk. */
export const SHORT_LINE_LIMIT_BYTES: i32 = 1024;

// What was found.
export const NOTHING: i32 = 0;
export const WHOLE_LINE: i32 = 1;
/** The beginning of a line over the limit. */
export const BEGINNING: i32 = 2;
/** A line without its data, and the data decoded. */
export const CHUNK_LINE: i32 = 3;
