/** Limits of reading a firmware bundle, with their reasons. There is none on how many keys may be trusted. */

/**
 * Keys that are tried in one pass over the image. A digest takes 88 bytes of heap, and with its key and its place
 * 115, so these take 5.5 KiB of the 80 that an upload may take, and an upload takes 79 [measured]. The image is read
 * once more for every 48 keys, which is little beside hashing it under each of them
 * (docs/spec/firmware-bundles.md#bundle-signature).
 */
export const KEYS_OF_PASS = 48;

/** Keys that are read from their file before other work gets a turn, in every pass but the first: 1.2 ms. */
export const KEYS_OF_SLICE = 16;

/** Bytes of the image that are read again at a time: hashed under each of those keys, they are 96 KiB. */
export const PIECE_READ_AGAIN_BYTES = 2048;
