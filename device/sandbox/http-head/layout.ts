/**
 * Memory of the program, and the numbers that `device/services/http/request-head.ts` reads; it has them in the same
 * order.
 *
 *   results | values | names | list | head
 */

export const MEMORY_BYTES: i32 = 5376;

// Results, an i32 each. A position is an address and, shifted by 16 bits, the address after the last byte.
export const RESULT_HEAD: i32 = 0;
export const RESULT_METHOD: i32 = 4;
export const RESULT_TARGET: i32 = 8;
export const RESULT_HOST: i32 = 12;
/** What a message quotes. */
export const RESULT_QUOTED: i32 = 16;
/** Content-Length is the first times 10^8, plus the second. */
export const RESULT_LENGTH_HIGH: i32 = 20;
export const RESULT_LENGTH_LOW: i32 = 24;

/** For each known name the first value: its address, and the address after it. */
export const VALUES: i32 = 32;

/** Known names: a byte with the length, then the name. */
export const NAMES: i32 = 288;
export const NAMES_BYTES: i32 = 416;
/** Names have bits in the summary. */
export const NAME_LIMIT: i32 = 20;

/** Values of a list field, joined: twice its limit and a separator. */
export const LIST: i32 = 704;

/** The input. */
export const HEAD: i32 = 1280;
export const HEAD_BYTES: i32 = 4096;

// The first known names, which the program itself reads.
export const HOST: i32 = 0;
export const CONNECTION: i32 = 1;
export const CONTENT_LENGTH: i32 = 2;
export const TRANSFER_ENCODING: i32 = 3;

// The summary of a valid head.
export const GET: i32 = 1;
export const HEAD_METHOD: i32 = 2;
export const POST: i32 = 3;
export const OPTIONS: i32 = 4;
export const CONNECT: i32 = 5;
export const IS_HTTP_10: i32 = 8;
export const IS_PERSISTENT: i32 = 16;
export const HAS_LENGTH: i32 = 32;
export const IS_CHUNKED: i32 = 64;
/** The host can belong to nobody but the console: an address, `localhost` or a `.local` name. */
export const HOST_LOCAL: i32 = 128;
export const HOST_FOREIGN: i32 = 256;
/** Not a host: both bits. */
export const HOST_INVALID: i32 = 384;
/** The target begins at the query: put a slash before it. */
export const LACKS_SLASH: i32 = 512;
/** The first known name has the bit of this number. */
export const FIRST_NAME_BIT: i32 = 10;

// Faults.
export const NOT_WHOLE: i32 = -1;
export const BAD_REQUEST_LINE: i32 = -2;
export const BAD_FIELD_NAME: i32 = -3;
export const BAD_FIELD_VALUE: i32 = -4;
export const BAD_LINE: i32 = -5;
export const BAD_VERSION: i32 = -6;
export const OTHER_VERSION: i32 = -7;
export const HOST_REPEATED: i32 = -8;
export const VALUE_TOO_LONG: i32 = -9;
export const HOST_MISSING: i32 = -10;
export const FRAGMENT: i32 = -11;
export const TUNNEL: i32 = -12;
export const BAD_TARGET: i32 = -13;
export const BAD_AUTHORITY: i32 = -14;
export const LIST_TOO_LONG: i32 = -15;
export const LENGTH_REPEATED: i32 = -16;
export const LENGTH_AND_CODING: i32 = -17;
export const CODING_IN_HTTP_10: i32 = -18;
export const CODING_MISPLACED: i32 = -19;
export const OTHER_CODING: i32 = -20;
export const BAD_LENGTH: i32 = -21;
export const TOO_MANY_MEMBERS: i32 = -22;
