/** Limits of the log, each with its reason. */

/** The buffer holds the newest 16 KiB (docs/spec/logs.md#buffer). */
export const LOG_BUFFER_BYTES = 16 * 1024;

/**
 * One line, in UTF-8. Enough for a stack of names; small enough to travel in one USB event
 * (docs/spec/logs.md#line-length).
 */
export const LOG_LINE_LIMIT_BYTES = 512;
