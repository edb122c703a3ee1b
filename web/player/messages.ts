/** Messages between the page and the worker of an app. There are four of them; what a running app sends goes through `SharedMemory`. */
import type { GuestExit } from "../../device/ports/guest.js";

export type ToWorker =
  | { readonly kind: "open"; readonly file: Uint8Array; readonly memory: SharedArrayBuffer }
  | { readonly kind: "run"; readonly values: Uint8Array };

/** What the page shows of a manifest. */
export interface AppFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly capabilities: readonly string[];
}

export type FromWorker =
  | { readonly kind: "opened"; readonly facts: AppFacts }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "ended"; readonly exit: GuestExit };
