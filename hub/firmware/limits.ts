/** Limits of firmware, with their reasons. */

/**
 * Characters of the notes of a version: some pages. A field of a form has less than 16 KiB in any case
 * (docs/spec/hub-api.md#firmware-publish).
 */
export const NOTES_LIMIT_CHARACTERS = 4096;

/** Bundles whose signature by the hub is kept: 200 bytes each. A hub has a version of each architecture in use. */
export const KEPT_SIGNATURES = 256;

/** Bytes of a bundle that are checked before others have their turn: some milliseconds under a key or two. */
export const PIECE_BYTES = 256 * 1024;
