/** Limits of the client, each with its reason. */

/**
 * Longest line from the console. The longest one is a screenshot: 480 × 320 incompressible pixels take 614 KB in
 * base64.
 */
export const INPUT_LINE_LIMIT_BYTES = 1024 * 1024;

/**
 * Log lines that are remembered: as many as the console's buffer can hold. The buffer has 16 KiB, and the shortest line
 * takes two bytes of length and eleven of text (`0.000 I a: `).
 */
export const REMEMBERED_LINES = Math.ceil((16 * 1024) / 13);

/** How often a chunk is sent while its answer is missing (docs/spec/uploads.md#upload-resume). */
export const CHUNK_ATTEMPTS = 3;

/** The console discards an upload after 30 s of silence: {@link CHUNK_ATTEMPTS} attempts fit within. */
export const CHUNK_TIMEOUT_MS = 9_000;

/** Poll interval of the log over HTTP, where no WebSocket is available: often enough for a live view. */
export const POLL_INTERVAL_MS = 500;

/** Delay after a lost WebSocket or a failed poll: a console restarts in less time. */
export const LOG_RETRY_MS = 1_000;

/** A replay is complete after this time without a line: the whole replay takes a tenth of a second. */
export const REPLAY_PAUSE_MS = 1_000;

/** Time from the answer to a heartbeat to the next heartbeat. */
export const HEARTBEAT_INTERVAL_MS = 2_000;

/**
 * Time-out of a heartbeat. Consoles answer it within a fraction of a second under any load; a console that restarts
 * behind an open port has lost the request and never answers it.
 */
export const HEARTBEAT_TIMEOUT_MS = 5000;

/** A heartbeat takes milliseconds; after this time without an answer, users are told. */
export const SILENCE_MS = 3_000;

/** Delay between two attempts to reconnect: the first, and the longest. */
export const RETRY_FIRST_MS = 250;
export const RETRY_LAST_MS = 3_000;

/** Time-out of the identification. A starting board takes 2 s to answer. */
export const IDENTIFY_TIMEOUT_MS = 5_000;

/** Time-out of its first attempt over USB; then the request is repeated, since a restart may have dropped it. */
export const IDENTIFY_FIRST_MS = 2_000;
