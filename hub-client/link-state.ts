/**
 * State machine of the channel between a console and its hub:
 *
 *   idle --start--> registering --registered--> connecting --opened--> open
 *     |   (known)     ^      | failed               ^  | failed          | lost
 *     +-------------- | ---- | -------------------> |  |                 |
 *                     |      v                      |  v                 |
 *                     +--- waiting -----------------+ <------------------+
 *
 * From any of them, a stop leads to closed. A hub that does not know the token leads back to registering. A channel
 * that was replaced by another one of the same console waits the longest, so that the two do not alternate.
 */

import { REPLACED_CLOSE_CODE } from "../protocol/hub/push-messages.js";
import type { Random } from "../protocol/ports/runtime.js";

/** A channel that was open for so long has worked: what comes after is not one more failure in a row. */
export const LASTING_CONNECTION_MS = 60_000;

// Computes the delay before a retry.

export interface Backoff {
  /** No wait is shorter. */
  readonly firstMs: number;
  /** No wait is longer. */
  readonly lastMs: number;
}

/**
 * Whole milliseconds: half of it for sure, which doubles with each failure, and as much again by chance. All consoles
 * of a hub lose it at one moment, and are not to come back in step.
 *
 * @param failures in a row, 1 or more
 * @param chance from 0 to less than 1
 */
export function backoffMs(failures: number, chance: number, { firstMs, lastMs }: Backoff): number {
  const longestMs = Math.min(firstMs * 2 ** failures, lastMs);
  return Math.floor((longestMs / 2) * (1 + chance));
}

const CHANCE_BYTES = 2;

/** From 0 to less than 1, in steps of 1/65536. */
export function chanceOf(random: Random): number {
  const bytes = new Uint8Array(CHANCE_BYTES);
  random.getRandomValues(bytes);
  return ((bytes[0] as number) * 256 + (bytes[1] as number)) / 65536;
}

export type LinkState =
  | { readonly phase: "idle" }
  | { readonly phase: "registering"; readonly failures: number }
  | { readonly phase: "connecting"; readonly failures: number }
  | { readonly phase: "open"; readonly failures: number; readonly sinceMs: number }
  | WaitingState
  | { readonly phase: "closed" };

export interface WaitingState {
  readonly phase: "waiting";
  /** In a row, 1 or more: how long it waits follows from it. */
  readonly failures: number;
  readonly next: "registering" | "connecting";
  /** What the hub has asked for. */
  readonly atLeastMs: number;
  /** It waits as long as it ever does. */
  readonly isLongest: boolean;
}

export type LinkEvent =
  | { readonly kind: "start"; readonly isRegistered: boolean }
  | { readonly kind: "registered" }
  | { readonly kind: "opened"; readonly atMs: number }
  | FailedEvent
  /** The wait is over. */
  | { readonly kind: "elapsed" }
  /** Whatever it is at: everything from the start. */
  | { readonly kind: "register" }
  | { readonly kind: "stop" };

/** A registration, a handshake or an open channel has come to nothing. */
export interface FailedEvent {
  readonly kind: "failed";
  readonly atMs: number;
  /** The hub does not know the token. */
  readonly isUnknown: boolean;
  readonly closeCode: number | undefined;
  readonly atLeastMs: number;
}

export const IDLE: LinkState = Object.freeze({ phase: "idle" });
const CLOSED: LinkState = Object.freeze({ phase: "closed" });

/** The whole machine: no socket, no clock, no chance. @throws {Error} for what cannot happen in this phase */
export function advance(state: LinkState, event: LinkEvent): LinkState {
  if (event.kind === "stop" || state.phase === "closed") return CLOSED;
  if (event.kind === "register") return { phase: "registering", failures: 0 };
  switch (state.phase) {
    case "idle":
      if (event.kind !== "start") break;
      return { phase: event.isRegistered ? "connecting" : "registering", failures: 0 };
    case "registering":
      if (event.kind === "registered") return { phase: "connecting", failures: state.failures };
      if (event.kind !== "failed") break;
      return waiting(state.failures, event, "registering");
    case "connecting":
      if (event.kind === "opened") return { phase: "open", failures: state.failures, sinceMs: event.atMs };
      if (event.kind !== "failed") break;
      return waiting(state.failures, event, event.isUnknown ? "registering" : "connecting");
    case "open":
      if (event.kind !== "failed") break;
      return waiting(hasLasted(state.sinceMs, event.atMs) ? 0 : state.failures, event, "connecting");
    case "waiting":
      if (event.kind !== "elapsed") break;
      return { phase: state.next, failures: state.failures };
    default:
      return state satisfies never;
  }
  throw new Error(`Cannot handle "${event.kind}" while ${state.phase}`);
}

function waiting(
  failures: number,
  { closeCode, atLeastMs }: FailedEvent,
  next: WaitingState["next"],
): WaitingState {
  const isLongest = closeCode === REPLACED_CLOSE_CODE;
  return { phase: "waiting", failures: failures + 1, next, atLeastMs, isLongest };
}

/** A hub that takes connections and drops them at once is no better than one that takes none. */
function hasLasted(sinceMs: number, atMs: number): boolean {
  return atMs - sinceMs >= LASTING_CONNECTION_MS;
}
