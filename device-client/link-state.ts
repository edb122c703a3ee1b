/**
 * States and transitions of a link to one console, without timers or connections. A link outlives its connections.
 *
 *     connecting ──> ready <──> waiting
 *          │           │           │
 *          └───────────┴───────────┴──> ended
 *
 * If the first attempt fails, the link ends and reports the error to the caller at once, without retries. A link that
 * was ready once reconnects by itself, since consoles restart, cables are unplugged and networks fail. It then ends
 * only when the console no longer accepts the token: retrying a wrong token locks the right one out.
 */
import type { SystemInfo } from "../protocol/device/answers.js";
import type { Device } from "./device.js";
import { DeviceError } from "./device-error.js";

export type LinkState =
  | { readonly phase: "connecting" }
  | { readonly phase: "ready"; readonly device: Device; readonly system: SystemInfo }
  /** Lost, reconnecting. `system` describes the lost console, `other` a different console found at its address. */
  | {
      readonly phase: "waiting";
      readonly system: SystemInfo;
      readonly error: DeviceError;
      readonly other?: SystemInfo;
    }
  /** Ended for good: with the error of the first attempt, later with `unauthorized`, without an error after `close`. */
  | { readonly phase: "ended"; readonly error?: DeviceError };

export type LinkEvent =
  | { readonly kind: "opened"; readonly device: Device; readonly system: SystemInfo }
  /** An attempt to connect failed. */
  | { readonly kind: "failed"; readonly error: DeviceError }
  | { readonly kind: "lost"; readonly error: DeviceError }
  | { readonly kind: "closed" };

type Opened = Extract<LinkEvent, { readonly kind: "opened" }>;
type Waiting = Extract<LinkState, { readonly phase: "waiting" }>;

export function advanceLink(state: LinkState, event: LinkEvent): LinkState {
  if (event.kind === "closed") return state.phase === "ended" ? state : { phase: "ended" };
  const isRefused = event.kind !== "opened" && event.error.code === "unauthorized";
  if (isRefused && state.phase !== "ended") return { phase: "ended", error: event.error };
  switch (state.phase) {
    case "connecting":
      if (event.kind === "opened") return ready(event);
      if (event.kind === "failed") return { phase: "ended", error: event.error };
      break;
    case "ready":
      if (event.kind === "lost") return { phase: "waiting", system: state.system, error: event.error };
      break;
    case "waiting":
      if (event.kind === "opened") return reconnected(state, event);
      if (event.kind === "failed") return { phase: "waiting", system: state.system, error: event.error };
      break;
    case "ended":
      break;
    default:
      return state satisfies never;
  }
  throw new Error(`Cannot handle "${event.kind}" while ${state.phase}`);
}

function ready({ device, system }: Opened): LinkState {
  return { phase: "ready", device, system };
}

/** Another console behind the same port or address is not the one that was lost. */
function reconnected(state: Waiting, event: Opened): LinkState {
  if (event.system.mac === state.system.mac) return ready(event);
  const { name } = event.system;
  const message = `"${name}" is now where "${state.system.name}" was, and is another console`;
  return { ...state, error: new DeviceError("not_a_console", message), other: event.system };
}
