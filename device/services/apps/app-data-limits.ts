/** Limits of an app's stored values (docs/spec/app-abi-and-quotas.md#storage), on consoles and in the player of the web. */

/** All keys together (docs/spec/app-abi-and-quotas.md#storage-limit). */
export const APP_DATA_LIMIT_BYTES = 64 * 1024;

/**
 * Most keys of an app: on a console each takes at least one block of flash
 * (docs/spec/app-abi-and-quotas.md#storage-limit).
 */
export const APP_KEYS_LIMIT = 32;

/**
 * A key is a file name on a console: no slash, no leading dot, at most 32 characters
 * (docs/spec/app-abi-and-quotas.md#storage-keys).
 */
export const APP_KEY = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,31}$/;

/** Longest key, name or host in UTF-8, before anything else is checked (docs/spec/app-abi-and-quotas.md#abi-text). */
export const ABI_TEXT_LIMIT_BYTES = 255;
