/** Limits of the client, each with its reason. */

/**
 * A line from the console. The longest is a picture of the screen: one of 480 × 320 pixels that cannot be compressed is
 * 614 KB in base64.
 */
export const INPUT_LINE_LIMIT_BYTES = 1024 * 1024;

/**
 * Lines of the log that are remembered. The console's buffer has 16 KiB, in which a line takes two bytes of length and,
 * with nothing to say (`0.000 I a: `), eleven more: it never has more lines than this.
 */
export const REMEMBERED_LINES = Math.ceil((16 * 1024) / 13);

/** How often a chunk is sent whose answer was lost (docs/spec/uploads.md#upload-resume). */
export const CHUNK_ATTEMPTS = 3;

/** The console forgets an upload after 30 s of silence: {@link CHUNK_ATTEMPTS} of these are over by then. */
export const CHUNK_TIMEOUT_MS = 9_000;

/** Poll interval of the log over HTTP, where no WebSocket is available: often enough for a live view. */
export const POLL_INTERVAL_MS = 500;

/** A WebSocket that was lost, and a poll that has failed: a console restarts in less than that. */
export const LOG_RETRY_MS = 1_000;

/** After so long without a line, a replay is over: the whole of it takes a tenth of a second. */
export const REPLAY_PAUSE_MS = 1_000;

/** Between an answer to a heartbeat and the next one. */
export const HEARTBEAT_INTERVAL_MS = 2_000;

/**
 * How long one may take. Consoles answer it within a fraction of a second whatever else they do; one that restarts behind a
 * port which stays open has lost the question, and is not back for who waits.
 */
export const HEARTBEAT_TIMEOUT_MS = 5000;

/** A heartbeat takes milliseconds; after so long without its answer, people see that something is wrong. */
export const SILENCE_MS = 3_000;

/** Between two attempts to reach a console that was lost: at first, and at the most. */
export const RETRY_FIRST_MS = 250;
export const RETRY_LAST_MS = 3_000;

/** What says whether there is a console at all. A board that starts takes 2 s to answer. */
export const IDENTIFY_TIMEOUT_MS = 5_000;

/** Of it over USB, before it is asked once more: a restart may have swallowed the request. */
export const IDENTIFY_FIRST_MS = 2_000;
