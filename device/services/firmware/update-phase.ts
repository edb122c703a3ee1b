/**
 * The states of a firmware update, as far as one run of the console sees it (docs/spec/boot-and-slots.md#ota-states).
 * Nothing here has an effect: this decides, and `FirmwareService` acts.
 *
 *               begin                 stage                restart
 *     idle ----------------> receiving -----> staged . . . . . . . . . > pending_confirm
 *      ^ ^                    |  ^ |           ^ |                             |
 *      | |                    |  | `-----------' |                             |
 *      | `--------------------'  |    abandon    |                             |
 *      |       abandon           `---------------'                             |
 *      |                               begin                                   |
 *      `-----------------------------------------------------------------------'
 *                                      confirm
 *
 * An abandoned upload leads back to where it began, until it has emptied the slot (`accept`): from then on the staged
 * firmware is gone. The dotted transition leads through the boot loader, and so do those that bring the old firmware
 * back: a run begins as idle or as pending_confirm.
 */
import { Fault } from "../../../protocol/fault.js";

export interface Idle {
  readonly phase: "idle";
}

export interface Receiving {
  readonly phase: "receiving";
  readonly receivedBytes: number;
  /** Length of the bundle, `undefined` while neither its header nor its request has said it. */
  readonly totalBytes: number | undefined;
  /** What an abandoned upload leads back to. */
  readonly fallback: Idle | Staged;
}

export interface Staged {
  readonly phase: "staged";
  readonly version: string;
  /** Length of the bundle. */
  readonly totalBytes: number;
}

export interface PendingConfirm {
  readonly phase: "pending_confirm";
  /** When the old firmware comes back, in milliseconds since boot. */
  readonly untilMs: number;
}

export type Update = Idle | Receiving | Staged | PendingConfirm;

export type UpdateEvent =
  | { readonly kind: "begin"; readonly totalBytes: number | undefined }
  /** The header is whole and acceptable: the slot is written from here on. */
  | { readonly kind: "accept"; readonly totalBytes: number }
  /** So many bytes have come so far. */
  | { readonly kind: "receive"; readonly receivedBytes: number }
  | { readonly kind: "stage"; readonly version: string }
  | { readonly kind: "abandon" }
  | { readonly kind: "confirm" };

export const IDLE: Idle = Object.freeze({ phase: "idle" });

/** @throws {Fault} `confirm_pending`, `upload_busy`, `nothing_pending` */
export function advance(update: Update, event: UpdateEvent): Update {
  if (event.kind === "begin") return begin(update, event.totalBytes);
  if (event.kind === "confirm") return confirm(update);
  if (update.phase !== "receiving") throw new Error(`Cannot handle "${event.kind}" while ${update.phase}`);
  switch (event.kind) {
    case "accept":
      return { ...update, totalBytes: event.totalBytes, fallback: IDLE };
    case "receive":
      return { ...update, receivedBytes: event.receivedBytes };
    case "stage":
      return { phase: "staged", version: event.version, totalBytes: update.receivedBytes };
    case "abandon":
      return update.fallback;
    default:
      return event satisfies never;
  }
}

/** Percent of the bundle that have come, a whole number; 0 while its length is not known. */
export function progressPercent(update: Update): number {
  if (update.phase === "staged") return 100;
  if (update.phase !== "receiving" || !update.totalBytes) return 0;
  return Math.floor((100 * update.receivedBytes) / update.totalBytes);
}

function begin(update: Update, totalBytes: number | undefined): Receiving {
  switch (update.phase) {
    case "idle":
    case "staged":
      return { phase: "receiving", receivedBytes: 0, totalBytes, fallback: update };
    case "receiving":
      throw new Fault("upload_busy", "Other firmware is being received");
    case "pending_confirm":
      throw new Fault(
        "confirm_pending",
        "The running firmware is to be confirmed before other firmware comes",
      );
    default:
      return update satisfies never;
  }
}

function confirm({ phase }: Update): Idle {
  if (phase === "pending_confirm") return IDLE;
  throw new Fault("nothing_pending", "There is no firmware to confirm");
}
