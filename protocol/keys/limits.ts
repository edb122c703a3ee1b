/** Limits of the file of trusted keys, with their reasons. */

/** Base64 of one PEM block: a certificate with an Ed25519 key has 400 to 1,000 characters. */
export const BLOCK_LIMIT_CHARACTERS = 4096;

/** A line of text or a boundary beside it. */
export const LINE_LIMIT_CHARACTERS = 128;

/** All certificates of the file, which are in memory at once to find their chains. */
export const CERTIFICATES_LIMIT_BYTES = 8192;

/** Every one of them may have to be tried on a package, at a few milliseconds each. */
export const KEYS_LIMIT = 32;

/** Certificates from a package's key to the self-signed one, both included. */
export const CHAIN_LIMIT = 8;

/** Lines for the log. */
export const PROBLEMS_LIMIT = 16;
