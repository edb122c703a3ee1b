/** Limits of the file of trusted keys, with their reasons. There is none on how many `PUBLIC KEY` blocks. */

/** Base64 of one PEM block: a certificate with an Ed25519 key has 400 to 1,000 characters. */
export const BLOCK_LIMIT_CHARACTERS = 4096;

/** A line of text or a boundary beside it. */
export const LINE_LIMIT_CHARACTERS = 128;

/**
 * All certificates of the file, which are in memory at once to find their chains, equal ones once: 70 of a
 * usual size. Outside of the heap, where the host has such memory (docs/spec/keys.md#any-number).
 */
export const CERTIFICATES_LIMIT_BYTES = 32 * 1024;

/** The least that a certificate takes: of version 1, with a number of one byte and without names. */
export const SMALLEST_CERTIFICATE_BYTES = 169;

/** Certificates from a package's key to the self-signed one, both included (docs/spec/keys.md#chain). */
export const CHAIN_LIMIT = 8;

/**
 * Signatures of certificates that are checked to find the chains of a file, at a few milliseconds each
 * (docs/spec/keys.md#any-number).
 */
export const SIGNATURE_CHECKS_LIMIT = 64;

/** Lines for the log. */
export const PROBLEMS_LIMIT = 16;
