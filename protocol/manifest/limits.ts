/** Limits of manifests, with their reasons. */

/** Text of a manifest: four times what all fields at their limits take (docs/spec/app-packages.md#manifest-limits). */
export const MANIFEST_LIMIT_BYTES = 8192;

/** Values in it, unknown fields included: 8192 bytes of `[],[],…` would take 170 KiB of a console's heap. */
export const MANIFEST_VALUES_LIMIT = 256;

/**
 * Characters of the description (docs/spec/app-packages.md#manifest-fields), and of the other texts, which have no
 * limit there.
 */
export const TEXT_LIMIT_CHARACTERS = 128;

/** Least memory of an app: one page of WebAssembly. */
export const LEAST_QUOTA_BYTES = 65536;

/**
 * Linear memory that a manifest may ask for: what a board with 8 MiB of PSRAM can give to one app beside
 * the display, a second app and the upload buffers (docs/spec/app-abi-and-quotas.md#memory-quota).
 */
export const APP_MEMORY_LIMIT_BYTES = 4 * 1024 * 1024;

/** Name of the export that is called: longer ones are not kept while a module is read. */
export const ENTRY_LIMIT_BYTES = 63;
