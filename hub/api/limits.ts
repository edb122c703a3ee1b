/** Limits of the hub's API, each with its reason. JSON has its own in protocol/limits.ts. */

/** A name in a path: longer than any id of ours in percent-encoded form. */
export const PATH_PARAMETER_LIMIT = 512;

/** A whole request, upload included: 16 MiB of firmware over half a megabit a second. */
export const REQUEST_TIMEOUT_MS = 300_000;

/** Fields of a form beside its file: there are few, and all of them are short but for notes. */
export const FORM_FIELDS_LIMIT = 16;
export const FORM_FIELD_LIMIT_BYTES = 16 * 1024;

/** How long to wait before asking again, where a database or a disk is away. */
export const BUSY_RETRY_S = 2;
