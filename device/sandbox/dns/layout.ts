/** Memory that only the program uses, behind what {@link "./operations.ts"} lays out. */
import { DATAGRAM, DATAGRAM_LIMIT_BYTES } from "./operations.js";

/** Questions and records in a message: 9000 bytes can hold a thousand, and each is compared with each of ours. */
export const ENTRY_LIMIT: i32 = 256;
export const ENTRY_BYTES: i32 = 6;

/** Table of the loaded message's entries. */
export const ENTRIES: i32 = DATAGRAM + DATAGRAM_LIMIT_BYTES;

/** Names of our records. A service takes about 150 bytes. */
export const NAMES: i32 = ENTRIES + ENTRY_LIMIT * ENTRY_BYTES;
export const NAMES_LIMIT_BYTES: i32 = 1024;

/** Data of a record through the end of the name in it: at most 6 bytes and a name. */
export const DATA_HEAD: i32 = NAMES + NAMES_LIMIT_BYTES;
const DATA_HEAD_LIMIT_BYTES: i32 = 264;

/** Name suffixes that the writer remembers as pointer targets; further names are not compressed. */
export const SUFFIX_LIMIT: i32 = 48;
/** Their offsets in the message. */
export const SUFFIXES: i32 = DATA_HEAD + DATA_HEAD_LIMIT_BYTES;

export const MEMORY_BYTES: i32 = SUFFIXES + 2 * SUFFIX_LIMIT;
