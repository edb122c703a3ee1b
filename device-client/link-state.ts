/**
 * States of a link to one console. It outlives the connections that it opens and loses.
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
import type { DeviceError } from "./device-error.js";

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
