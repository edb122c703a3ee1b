/** Limits of the client of the hub, each with its reason. */

/** From the question for an address to a connection that takes bytes, the handshake of TLS included. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Without a byte of an answer that is awaited. */
export const SILENCE_TIMEOUT_MS = 30_000;

/** Bytes read from a socket at a time where a file comes: a flash sector. */
export const READ_BYTES = 4096;

/** Body of an answer that is a message: what the hub says to a console is a tenth of it. */
export const ANSWER_LIMIT_BYTES = 4096;

/** Values in such an answer, of any kind: 4096 bytes can hold 2,000, which as values of XS fill a console's heap. */
export const ANSWER_VALUES_LIMIT = 128;

/** What a person is told of what a hub says of its refusals. */
export const MESSAGE_LIMIT_CHARACTERS = 200;

/**
 * Longest wait that a hub can request: a hub that confuses hours with days must not lose a console until an operator
 * intervenes.
 */
export const RETRY_AFTER_LIMIT_S = 3600;

/** Between attempts to reach the hub (docs/spec/device-hub.md#reconnect). */
export const LINK_BACKOFF = Object.freeze({ firstMs: 1_000, lastMs: 300_000 });

/** A channel that was open for so long has worked: what comes after is not one more failure in a row. */
export const LASTING_CONNECTION_MS = 60_000;

/** Between tries of a download: networks that cut are there again at once, hubs that restart within seconds. */
export const DOWNLOAD_BACKOFF = Object.freeze({ firstMs: 100, lastMs: 30_000 });

/** Tries of a download in a row that bring nothing, after which it is given up: about half a minute. */
export const DOWNLOAD_TRIES = 8;

/** Longest that a download waits because it was told to: it holds up other uploads meanwhile. */
export const DOWNLOAD_WAIT_LIMIT_MS = 60_000;

/** The hub pings every 30 s (docs/spec/hub-push.md#hub-ping); two in a row and a half are missed. */
export const PUSH_SILENCE_MS = 75_000;

/** Bytes read from the push channel at a time: it is quiet, and its buffer is there all the time. */
export const PUSH_READ_BYTES = 512;

/**
 * Messages of the hub that are read; longer ones are dropped as they come. The longest is a list of revoked keys, of which
 * 90 fit: more would not fit the part of the heap that is kept for what comes without being asked for.
 */
export const PUSH_MESSAGE_LIMIT_BYTES = 4096;

/** Longer messages are read only where there is room for them; shorter ones live on what is kept for them. */
export const PUSH_SMALL_MESSAGE_BYTES = 512;

/** A message in memory: its bytes and those that they grew out of, its text, and the texts in it. */
export const PUSH_MESSAGE_COPIES = 4;

/** Bytes that wait for a hub which does not read; what comes on top is not taken. */
export const PUSH_WAITING_LIMIT_BYTES = 8192;

/**
 * Bytes that wait for a hub, past which its pings are not answered: an answer of six bytes takes twenty times as much
 * heap while it waits, and a hub that reads none of them can ask for thousands.
 */
export const PONG_WAITING_LIMIT_BYTES = 256;

/** A text in a pushed message: names, versions, ids and signatures are shorter. Commands that wait keep theirs. */
export const PUSH_TEXT_LIMIT_CHARACTERS = 256;

/** An address in a pushed message. */
export const PUSH_URL_LIMIT_CHARACTERS = 2048;
