/**
 * The life of a connection:
 *
 *   accept --> head --complete--> body --complete--> answering --answer--> sending --+--> closed
 *                ^                  |  (refused: straight to sending)          |     isLast
 *                |first byte        +-- no body: straight to answering ------> |
 *             waiting <------------------------------------- all sent ---------+
 *
 * The next request waits until the current one is answered: `takesBytes` is false from answering to sending, and bytes
 * that arrive meanwhile stay in the socket, where they slow the client down.
 */
import type { BodyReader } from "../../../protocol/http/body-reader.js";
import type { BodyDispatch } from "./body-dispatch.js";
import { BODY_TIMEOUT_MS, HEAD_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS, SEND_TIMEOUT_MS } from "./limits.js";
import type { StreamedBody } from "./streamed-body.js";

export type Phase =
  | { readonly phase: "head" }
  | BodyPhase
  | { readonly phase: "answering" }
  | SendingPhase
  | { readonly phase: "waiting" }
  | { readonly phase: "closed" };

export interface BodyPhase {
  readonly phase: "body";
  readonly body: BodyReader;
  readonly delivery: BodyDispatch;
}

export interface SendingPhase {
  readonly phase: "sending";
  /** What follows the head, where it is not all in the outbox yet. */
  readonly body: StreamedBody | undefined;
  readonly onSent: (() => void) | undefined;
}

export const HEAD: Phase = Object.freeze({ phase: "head" });
export const ANSWERING: Phase = Object.freeze({ phase: "answering" });
export const WAITING: Phase = Object.freeze({ phase: "waiting" });
export const CLOSED: Phase = Object.freeze({ phase: "closed" });

export function takesBytes({ phase }: Phase): boolean {
  return phase === "head" || phase === "body" || phase === "waiting";
}

/** How long a phase may last: a head as a whole, a body and an answer without progress. */
export function timeoutMs({ phase }: Phase): number {
  switch (phase) {
    case "head":
      return HEAD_TIMEOUT_MS;
    case "body":
      return BODY_TIMEOUT_MS;
    case "sending":
      return SEND_TIMEOUT_MS;
    case "waiting":
      return KEEP_ALIVE_TIMEOUT_MS;
    case "answering": // the endpoint's matter
    case "closed":
      return Number.POSITIVE_INFINITY;
    default:
      return phase satisfies never;
  }
}
