/** Limits of HTTP messages, each with its reason. */

/**
 * A head with its empty line; more is 431. Browsers send 500 to 1000, a long query comes on top
 * (docs/spec/http.md#head-limit).
 */
export const HEAD_LIMIT_BYTES = 4096;

/** What a head reader holds at first: most heads fit, and eight connections then cost 8 KiB. */
export const HEAD_START_BYTES = 1024;

/**
 * Request line without its end; more is 414. A shell line of 1024 bytes fits, percent-encoded
 * (docs/spec/http.md#head-limit).
 */
export const REQUEST_LINE_LIMIT_BYTES = 3200;

/** Extension of one chunk; ignored. */
export const CHUNK_EXTENSION_LIMIT_BYTES = 128;

/** Extensions and trailers of one chunked body together; they are discarded. */
export const CHUNK_OVERHEAD_LIMIT_BYTES = 1024;
