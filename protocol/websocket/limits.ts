/** Limits of WebSocket frames and messages, each with its reason. */

/** Head of a frame: two bytes, up to eight of length, four of mask (RFC 6455 §5.2). */
export const FRAME_HEAD_LIMIT_BYTES = 14;

/** Payload of a control frame (RFC 6455 §5.5). */
export const CONTROL_LIMIT_BYTES = 125;

/**
 * A message, all its fragments together; more is 1009. The channel to the hub has the same limit
 * (docs/spec/hub-push.md#messages).
 */
export const MESSAGE_LIMIT_BYTES = 64 * 1024;
