/**
 * The life of a link to one console, which outlasts what is opened and lost underneath.
 *
 *     connecting ──> ready <──> waiting
 *          │           │           │
 *          └───────────┴───────────┴──> ended
 *
 * A first attempt that fails ends it: whoever asked is told at once, and nothing is tried behind their back. Once it was
 * ready, it comes back by itself: consoles restart, cables are pulled, networks go away. Only a console that no longer takes
 * the token ends it, since a wrong one tried on and on locks the right one out.
 */
import type { SystemInfo } from "../protocol/device/answers.js";
import type { Device } from "./device.js";
import type { DeviceError } from "./device-error.js";

export type LinkState =
  | { readonly phase: "connecting" }
  | { readonly phase: "ready"; readonly device: Device; readonly system: SystemInfo }
  /** Lost, and tried again; `system` is what the console was, `other` another one that was found at its place just now. */
  | {
      readonly phase: "waiting";
      readonly system: SystemInfo;
      readonly error: DeviceError;
      readonly other?: SystemInfo;
    }
  /** For good: with the error of the first attempt, `unauthorized` later, or without one after `close`. */
  | { readonly phase: "ended"; readonly error?: DeviceError };
