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
 * that was replaced by another one of the same console waits for the longest delay, so that the two do not alternate.
 */

import { REPLACED_CLOSE_CODE } from "../protocol/hub/push-messages.js";
import type { Random } from "../protocol/ports/runtime.js";

/** A channel that was open for this long counts as working: the next failure is the first in a row. */
export const LASTING_CONNECTION_MS = 60_000;

// Computes the delay before a retry.

export interface Backoff {
  /** No wait is shorter. */
  readonly firstMs: number;
  /** No wait is longer. */
  readonly lastMs: number;
}

/**
 * Exponential backoff with jitter: a fixed half, which doubles with each failure, and a random half. All consoles of a
 * hub lose it at the same moment and must not reconnect at the same moment.
 *
 * @param failures in a row, 1 or more
 * @param chance random number, 0 to less than 1
 * @returns whole milliseconds
 */
export function backoffMs(failures: number, chance: number, { firstMs, lastMs }: Backoff): number {
  const longestMs = Math.min(firstMs * 2 ** failures, lastMs);
  return Math.floor((longestMs / 2) * (1 + chance));
}

const CHANCE_BYTES = 2;

/** @returns a random number from 0 to less than 1, in steps of 1/65536 */
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
  /** Failures in a row, 1 or more, which determine the delay. */
  readonly failures: number;
  readonly next: "registering" | "connecting";
  /** Wait that the hub has requested. */
  readonly atLeastMs: number;
  /** Whether to use the longest delay. */
  readonly usesLongestDelay: boolean;
}

export type LinkEvent =
  | { readonly kind: "start"; readonly isRegistered: boolean }
  | { readonly kind: "registered" }
  | { readonly kind: "opened"; readonly atMs: number }
  | FailedEvent
  /** The wait is over. */
  | { readonly kind: "elapsed" }
  /** Registers anew, from any phase. */
  | { readonly kind: "register" }
  | { readonly kind: "stop" };

/** A registration, a handshake or an open channel failed. */
export interface FailedEvent {
  readonly kind: "failed";
  readonly atMs: number;
  /** Whether the hub does not know the token. */
  readonly isUnknown: boolean;
  readonly closeCode: number | undefined;
  readonly atLeastMs: number;
}

export const IDLE: LinkState = Object.freeze({ phase: "idle" });
const CLOSED: LinkState = Object.freeze({ phase: "closed" });

/**
 * The transition function: no socket, clock or random numbers. @throws {Error} if the event cannot occur in this phase
 */
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
  const usesLongestDelay = closeCode === REPLACED_CLOSE_CODE;
  return { phase: "waiting", failures: failures + 1, next, atLeastMs, usesLongestDelay };
}

/** A hub that accepts connections and drops them immediately counts as unreachable. */
function hasLasted(sinceMs: number, atMs: number): boolean {
  return atMs - sinceMs >= LASTING_CONNECTION_MS;
}
