/**
 * The life of a connection:
 *
 *   accept --> silent --first byte--> head --complete, granted--> open --> closing --sent--> closed
 *                 |                    |  (refused: straight to closing)     ^        or 5 s
 *                 |                    +-----------------------------------> |
 *                 +-- turned away -----------------------------------------> |
 *
 * In closing, the last message, a refusal or a Close frame, is being sent; nothing more is read. The server closes the
 * TCP connection first, as RFC 6455 §7.1.1 requires.
 */
import type { HeadReader } from "../../../protocol/http/head-reader.js";
import type { FrameReader } from "../../../protocol/websocket/frame-reader.js";
import { HEAD_TIMEOUT_MS } from "../http/limits.js";
import { CLOSE_TIMEOUT_MS, PING_INTERVAL_MS } from "./limits.js";
import type { Outgoing } from "./outgoing.js";

export type Phase =
  | { readonly phase: "silent" }
  | { readonly phase: "head"; readonly reader: HeadReader }
  | OpenPhase
  | { readonly phase: "closing" }
  | { readonly phase: "closed" };

export interface OpenPhase {
  readonly phase: "open";
  readonly reader: FrameReader;
  readonly outgoing: Outgoing;
  /** Ends the subscription to the log. */
  readonly unsubscribe: () => void;
}

export const SILENT: Phase = Object.freeze({ phase: "silent" });
export const CLOSING: Phase = Object.freeze({ phase: "closing" });
export const CLOSED: Phase = Object.freeze({ phase: "closed" });

/** How long until a phase has lasted too long; in the open one, until the next ping. */
export function timeoutMs({ phase }: Exclude<Phase, { readonly phase: "closed" }>): number {
  switch (phase) {
    case "silent":
    case "head":
      return HEAD_TIMEOUT_MS;
    case "open":
      return PING_INTERVAL_MS;
    case "closing":
      return CLOSE_TIMEOUT_MS;
    default:
      return phase satisfies never;
  }
}
