/** Limits of the management protocol that both the console and its clients need (docs/spec/limits.md). */

/** Input line over USB, without its terminator (docs/spec/usb.md#line-limit). */
export const LINE_LIMIT_BYTES = 1024;

/** Input line over USB with a chunk: 4096 bytes of base64 and 1024 of envelope (docs/spec/usb.md#line-limit). */
export const CHUNK_LINE_LIMIT_BYTES = 5120;

/** Raw bytes of one chunk (docs/spec/uploads.md#chunk-size). */
export const CHUNK_LIMIT_BYTES = 3072;

/** Recommended chunk size for clients, in raw bytes (docs/spec/uploads.md#chunk-size). */
export const SUGGESTED_CHUNK_BYTES = 2048;

/**
 * Maximum nesting of accepted JSON; XS aborts the whole machine on very deep nesting
 * (docs/spec/conventions.md#json-depth).
 */
export const JSON_DEPTH_LIMIT = 32;

/** Default limit on the number of values in a JSON text; every reader on a console sets a lower one. */
export const JSON_VALUES_LIMIT = 4096;

/** Default limit on the size of a JSON text: larger than any manifest or message of this project. */
export const JSON_LIMIT_BYTES = 64 * 1024;

/** Minimum `memory_quota` of a script app (docs/spec/app-packages.md#script). */
export const SCRIPT_QUOTA_BYTES = 262144;
