/** Limits of apps on a console, each with its reason. */

/**
 * Installed apps: the list of them is one JSON text in the management VM's heap, some 400 bytes an app
 * (docs/spec/apps.md#installed-limit).
 */
export const INSTALLED_APPS_LIMIT = 24;

/** What an app keeps under all its keys together (docs/spec/app-abi-and-quotas.md#storage-limit). */
export const APP_DATA_LIMIT_BYTES = 64 * 1024;

/**
 * Keys of an app: each takes at least a block of flash, however small its value
 * (docs/spec/app-abi-and-quotas.md#storage-limit).
 */
export const APP_KEYS_LIMIT = 32;

/** A record is a manifest and a dozen fields. */
export const RECORD_LIMIT_BYTES = 20 * 1024;

/** Bytes of a module, package or drive that are processed before other work gets a turn. */
export const SLICE_BYTES = 2048;

/** The name of a module without a name (docs/spec/app-packages.md#no-manifest). */
export const DEFAULT_NAME = "uploaded_app";

/** What a module without a manifest may use (docs/spec/app-packages.md#no-manifest). */
export const DEFAULT_QUOTA_BYTES = 65536;
