/**
 * State machine of joining a WiFi network. It has no effects: `WifiService` acts on its phases. No phase contains a
 * password.
 *
 *                    provision               joined
 *     unprovisioned -----------> joining ---------------> joined
 *           ^                     |   ^                     |
 *           |                     |   | retry               | fail: it is lost
 *           | forget, always      |   |                     |
 *           |                     |   waiting <-------------'
 *                                 |      ^
 *                                 `------'
 *                                   fail
 *
 * `provision` leads to joining from every phase, since it can name another network. A failed join is retried as long as
 * a network is configured, even after `wrong_password`: a weak signal can look like a wrong password.
 */
import type { Random } from "../../../protocol/ports/runtime.js";
import type { WifiFailure } from "../../ports/wifi.js";

/** Delay before the first retry; doubles with each further one. */
const FIRST_RETRY_MS = 1000;

/**
 * Longest delay between two attempts, and so the longest absence after the access point is back
 * (docs/spec/wifi.md#retry).
 */
const LAST_RETRY_MS = 60_000;

/**
 * Delay before the next attempt to join, in whole milliseconds. It doubles after each failure up to
 * {@link LAST_RETRY_MS}, minus a random part of up to a quarter: all consoles in a house lose their access point at the
 * same time, and must not retry in step.
 *
 * @param failures number of consecutive failures, 1 or more
 */
export function retryDelayMs(failures: number, random: Random): number {
  const longestMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
  const chance = new Uint8Array(1);
  random.getRandomValues(chance);
  return longestMs - Math.floor((longestMs / 4) * ((chance[0] as number) / 256));
}

/** Why a join failed: the radio's reasons, and two that the service detects. */
export type JoinFailure =
  | WifiFailure
  /** The network was joined, but assigned no address. */
  | "no_address"
  /** The access point neither accepts nor refuses the console. */
  | "timeout";

export type Join =
  | { readonly phase: "unprovisioned" }
  | {
      readonly phase: "joining";
      readonly ssid: string;
      /** Number of consecutive failed attempts. */
      readonly failures: number;
      /** Failure of the latest attempt, if there was one. */
      readonly failure: JoinFailure | undefined;
    }
  | { readonly phase: "joined"; readonly ssid: string }
  | {
      readonly phase: "waiting";
      readonly ssid: string;
      readonly failures: number;
      readonly failure: JoinFailure;
    };

export type JoinEvent =
  | { readonly kind: "provision"; readonly ssid: string }
  | { readonly kind: "forget" }
  | { readonly kind: "retry" }
  | { readonly kind: "join" }
  | { readonly kind: "fail"; readonly failure: JoinFailure };

export const UNPROVISIONED: Join = Object.freeze({ phase: "unprovisioned" });

export function advance(join: Join, event: JoinEvent): Join {
  if (event.kind === "forget") return UNPROVISIONED;
  if (event.kind === "provision")
    return { phase: "joining", ssid: event.ssid, failures: 0, failure: undefined };
  switch (join.phase) {
    case "joining":
      if (event.kind === "join") return { phase: "joined", ssid: join.ssid };
      if (event.kind === "fail") return waiting(join.ssid, join.failures + 1, event.failure);
      break;
    case "joined":
      if (event.kind === "fail") return waiting(join.ssid, 1, event.failure);
      break;
    case "waiting":
      if (event.kind === "retry") return { ...join, phase: "joining" };
      break;
    case "unprovisioned":
      break;
    default:
      return join satisfies never;
  }
  throw new Error(`Cannot handle "${event.kind}" while ${join.phase}`);
}

function waiting(ssid: string, failures: number, failure: JoinFailure): Join {
  return { phase: "waiting", ssid, failures, failure };
}
