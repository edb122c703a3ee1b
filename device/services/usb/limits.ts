/** Limits of the USB service that only it knows; those of the protocol are in `protocol/limits.ts`. */

/** Bytes read from the port at a time: two lines of ordinary size, and one buffer for all of them. */
export const READ_BYTES = 2048;
