/**
 * Where things lie in the memory of the program `dns`, and what its calls mean. Program and firmware import the same
 * numbers.
 *
 * `feed` reads the datagram at `room()` and answers with a verdict. `finish` moves to the next question or record. All
 * else is `begin(operation, second)`, with details of the operation in higher bits of its first argument.
 */

/** Domain name, or record data, that an operation takes or returns. */
export const OPERAND: i32 = 0;
/** The longest record that can fit a message: compression saves at most the 253 bytes of its name. */
export const OPERAND_LIMIT_BYTES: i32 = 1728;

/** The message being written. */
export const MESSAGE: i32 = 1728;
/** Largest message written: an Ethernet payload of 1500 bytes minus IP and UDP headers (RFC 6762 §17). */
export const MESSAGE_LIMIT_BYTES: i32 = 1472;

/** The loaded datagram: the room for input. */
export const DATAGRAM: i32 = 3200;
/** Largest message read: the maximum of RFC 6762 §17. */
export const DATAGRAM_LIMIT_BYTES: i32 = 9000;

// Sections in the order of a message.

export const QUESTION: i32 = 0;
export const ANSWER: i32 = 1;
export const AUTHORITY: i32 = 2;
export const ADDITIONAL: i32 = 3;

// Bits of the verdict about a datagram, which is negative if it is rejected.

export const VERDICT_RESPONSE: i32 = 1;
export const VERDICT_TRUNCATED: i32 = 2;
/** The message has an entry with one of our names, or further known answers (RFC 6762 §7.2). */
export const VERDICT_CONCERNS_US: i32 = 4;

// An entry as `finish` returns it, negative past the last one: its type in the low 16 bits, and above it:

export const ENTRY_TOP_BIT: i32 = 0x10000;
export const ENTRY_SECTION_SHIFT: i32 = 17;

// Operations: the low four bits of `begin`'s first argument.

/** Forgets everything. */
export const START: i32 = 0;
/** Moves before the first entry. `second`: 1 to visit only entries with our names, 0 for all. */
export const REWIND: i32 = 1;
/** @returns class of the entry, without its top bit */
export const READ_CLASS: i32 = 2;
/** @returns TTL of the record in seconds, 0 for a question */
export const READ_TTL: i32 = 3;
/** @returns 1 if the name of the entry is the name in the operand, else 0 */
export const MATCH_NAME: i32 = 4;
/** Puts the entry's name uncompressed into the operand. @returns its length */
export const COPY_NAME: i32 = 5;
/** @returns length of the record's data, with names in it uncompressed */
export const DATA_LENGTH: i32 = 6;
/**
 * Compares the record's data from offset `second` on with the operand, whose length is in bits 4 to 31 of the first
 * argument. Names compare without case. @returns 1 if equal, else 0
 */
export const MATCH_DATA: i32 = 7;
/** Puts the record's data from offset `second` on into the operand, as far as it fits. @returns how many bytes */
export const COPY_DATA: i32 = 8;
/** Forgets our names: no message concerns us. */
export const FORGET_NAMES: i32 = 9;
/** Adds the name in the operand to our names. Once one does not fit, every message concerns us. */
export const ADD_NAME: i32 = 10;
/** Starts a message with the flags in bits 4 to 19 and the id `second`. */
export const START_MESSAGE: i32 = 11;
/** Sets the flags `second` in the message too. */
export const ADD_FLAGS: i32 = 12;
/**
 * Writes a question for the name in the operand with the type `second`. Bit 4: requests a unicast answer.
 * @returns 1, or 0 if it does not fit
 */
export const WRITE_QUESTION: i32 = 13;
/**
 * Prepares a record: section in bits 4 and 5, {@link RECORD_FLUSH}, {@link RECORD_PLAIN}, type in bits 8 to 23; TTL
 * `second`. The next `feed` writes it from the operand, name then data, and returns 1, or 0 if it does not fit.
 */
export const WRITE_RECORD: i32 = 14;
/** @returns bytes of the message so far */
export const MESSAGE_LENGTH: i32 = 15;

/** Sets the cache-flush bit. */
export const RECORD_FLUSH: i32 = 0x40;
/** Leaves the name in the data uncompressed. */
export const RECORD_PLAIN: i32 = 0x80;
