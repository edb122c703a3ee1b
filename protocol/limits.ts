/** Limits of the management protocol that both sides of it must know (docs/spec/limits.md). */

/** Input line over USB, without its terminator (docs/spec/usb.md#line-limit). */
export const LINE_LIMIT_BYTES = 1024;

/** Input line over USB that carries a chunk: 4096 of base64 and 1024 of envelope (docs/spec/usb.md#line-limit). */
export const CHUNK_LINE_LIMIT_BYTES = 5120;

/** Raw bytes of one chunk (docs/spec/uploads.md#chunk-size). */
export const CHUNK_LIMIT_BYTES = 3072;

/** Raw bytes of a chunk that a client should choose (docs/spec/uploads.md#chunk-size). */
export const SUGGESTED_CHUNK_BYTES = 2048;

/**
 * Nesting of any JSON that is taken; XS ends the whole machine on very deep nesting
 * (docs/spec/conventions.md#json-depth).
 */
export const JSON_DEPTH_LIMIT = 32;

/** Values in any JSON that is taken where nothing else bounds them; a console says less wherever it reads. */
export const JSON_VALUES_LIMIT = 4096;

/** JSON text that is taken where nothing else bounds it: larger than any manifest or message of ours. */
export const JSON_LIMIT_BYTES = 64 * 1024;

/** Least `memory_quota` of a script app (docs/spec/app-packages.md#script). */
export const SCRIPT_QUOTA_BYTES = 262144;
