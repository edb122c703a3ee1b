/** Where the player gets its app from. */
import type { LogLine } from "./shared-memory.js";

export interface PlayedApp {
  /** Its package. */
  readonly file: Uint8Array;
  /** Of whom it is, so that apps of the same name from different sources share no stored values. */
  readonly owner: string;
}

export interface AppSource {
  /** What the user waits for, until there is an app. */
  readonly waiting: string;
  /** @param onApp called for the app, and for each later version of it; @param onProblem called with a sentence */
  open(onApp: (app: PlayedApp) => void, onProblem: (problem: string | undefined) => void): void;
  /** Called for what the app has logged, and how it has ended. */
  report?(event: AppReport): void;
}

export type AppReport =
  | { readonly kind: "started"; readonly name: string; readonly version: string }
  | { readonly kind: "log"; readonly name: string; readonly lines: readonly LogLine[] }
  /** `message` is as in a console's log: `trap: unreachable executed`. */
  | { readonly kind: "ended"; readonly name: string; readonly message: string };
