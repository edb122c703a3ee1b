/** Limits of the WebSocket server, each with its reason. */
import { LOG_LINE_LIMIT_BYTES } from "../logs/limits.js";

/**
 * WebSockets open at a time. Each is woken by every line; a console is watched by one or two. The last of them is for
 * an address that has none (`http/room.ts`), and so is the last connection (docs/spec/websocket.md#client-limit).
 */
export const CLIENT_LIMIT = 4;

/** Connections whose requests are read: the clients, and as many that are still to ask. */
export const CONNECTION_LIMIT = 8;

/** Connections beyond that limit that get a refusal at a time; further ones are closed without an answer. */
export const TURNED_AWAY_LIMIT = 4;

/** Retry delay for a refused client. */
export const BUSY_RETRY_AFTER_S = 5;

/** Bytes read from a socket at a time, in one buffer that all connections share: clients say little. */
export const READ_BYTES = 512;

/** Head of a frame that we send: two bytes, and two of length where the payload is over 125 bytes. */
export const SERVER_HEAD_LIMIT_BYTES = 4;

/** Payload of a frame that we send: one log line and its LF. */
export const SERVER_PAYLOAD_LIMIT_BYTES = LOG_LINE_LIMIT_BYTES + 1;

/** Between pings; a client that has not answered one when the next is due is gone (docs/spec/websocket.md#ping). */
export const PING_INTERVAL_MS = 30_000;

/** For what was still to be sent, the Close frame or a refusal last, before the connection is cut. */
export const CLOSE_TIMEOUT_MS = 5_000;
