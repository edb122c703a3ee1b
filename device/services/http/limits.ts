/** Limits of the HTTP server, each with its reason. */

/**
 * Body that may come with a request whose endpoint takes none, or that is refused; it is discarded
 * (docs/spec/http.md#discarded-body).
 */
export const DISCARD_LIMIT_BYTES = 64 * 1024;

/** Bytes read from a socket at a time, in one buffer that all connections share: a flash sector. */
export const READ_BYTES = 4096;

/** Answers up to this size, head included, are put together in one buffer that all connections share. */
export const ANSWER_BUFFER_BYTES = 2048;

/** Of those, room for the head, which is written last. */
export const ANSWER_HEAD_BYTES = 512;

/** Connections served at a time (docs/spec/http.md#connection-limit); who gets the last of them is in `room.ts`. */
export const CONNECTION_LIMIT = 8;

/** Connections beyond the limit that get a refusal at a time; further ones are closed without an answer. */
export const TURNED_AWAY_LIMIT = 4;

/** Retry delay for a refused client. */
export const BUSY_RETRY_AFTER_S = 1;

/**
 * A connection on which nothing was asked yet is idle after this, and may be closed for another one: browsers open some
 * in advance. A request that is on its way arrives sooner (docs/spec/http.md#room-idle). One that is
 * kept alive is given up for want of memory after it, too.
 */
export const SILENT_AFTER_MS = 2_000;

/** A head, from accepting the connection or from its first byte (docs/spec/http.md#head-timeout). */
export const HEAD_TIMEOUT_MS = 10_000;

/** Silence within a body; how fast it has to come is in `api/minimum-rate.ts` (docs/spec/http.md#body-silence). */
export const BODY_TIMEOUT_MS = 30_000;

/** Silence between requests (docs/spec/http.md#keep-alive). */
export const KEEP_ALIVE_TIMEOUT_MS = 60_000;

/** A client that takes nothing of its answer; how fast it has to is in `api/minimum-rate.ts`. */
export const SEND_TIMEOUT_MS = 30_000;

/** Polling interval of deadlines, for all connections together; a connection may end this much late. */
export const SWEEP_INTERVAL_MS = 250;

/** Wrong tokens from one address within a window before it is made to wait (docs/spec/http.md#auth-failures). */
export const TOKEN_FAILURE_LIMIT = 10;
export const TOKEN_FAILURE_WINDOW_MS = 60_000;

/** Addresses whose failures are remembered; the one that failed first makes room. */
export const TOKEN_ADDRESS_LIMIT = 16;
