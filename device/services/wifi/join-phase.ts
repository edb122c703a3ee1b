/**
 * The states of the console in its WiFi network. Nothing here has an effect: this decides, and `WifiService` acts. No
 * phase holds a password.
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
 * `provision` leads to joining from everywhere, since it may name another network. A failed join is retried for as long
 * as there is a network to join, wrong passwords included: a weak signal may look like a wrong password.
 */
import type { Random } from "../../../protocol/ports/runtime.js";
import type { WifiFailure } from "../../ports/wifi.js";

/** Before the first attempt to join again; twice as long before each further one. */
const FIRST_RETRY_MS = 1000;

/**
 * The most between two attempts: how long a console may stay away after its access point is back
 * (docs/spec/wifi.md#retry).
 */
const LAST_RETRY_MS = 60_000;

// How long to wait before a network is joined again.

/**
 * Whole milliseconds, twice as many after each failure up to {@link LAST_RETRY_MS}, and up to a quarter less by
 * chance: all consoles of a house lose their access point at one moment, and are not to come back in step.
 *
 * @param failures in a row, 1 or more
 */
export function retryDelayMs(failures: number, random: Random): number {
  const longestMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
  const chance = new Uint8Array(1);
  random.getRandomValues(chance);
  return longestMs - Math.floor((longestMs / 4) * ((chance[0] as number) / 256));
}

/** The radio's reasons, and those of one that never comes to an end. */
export type JoinFailure =
  | WifiFailure
  /** The network was joined, and gave no address. */
  | "no_address"
  /** The access point neither takes nor refuses the console. */
  | "timeout";

export type Join =
  | { readonly phase: "unprovisioned" }
  | {
      readonly phase: "joining";
      readonly ssid: string;
      /** Attempts in a row that have failed. */
      readonly failures: number;
      /** Why the latest attempt has failed, where there was one. */
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
