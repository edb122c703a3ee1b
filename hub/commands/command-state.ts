/**
 * State machine of a command, and what its result says about the app. Pure: no database access.
 *
 * ```
 *              result, a success           ┌──> done
 *              result, a failure           ├──> failed
 *   pending ── a newer command arrives ────┼──> replaced   (also by a result: `superseded`)
 *    │   ▲     the account cancels it,     └──> cancelled
 *    │   │     or it expires
 *    └───┘ progress
 * ```
 *
 * A command that has ended does not change: results may arrive twice, and for replaced commands.
 */
import type { FaultCode } from "../../protocol/fault.js";
import type { AppResult, FirmwareProgress, FirmwareResult } from "../../protocol/hub/push-messages.js";
import type { CommandKind, CommandState, DeviceAppState } from "../database/schema.js";

/** The changing part of a command. */
export interface CommandStatus {
  readonly state: CommandState;
  /** Progress of a firmware update; null for apps. */
  readonly progress: FirmwareProgress | null;
  readonly error: string | null;
}

export type CommandEvent =
  | { readonly kind: "result"; readonly result: AppResult | FirmwareResult }
  /** The device reports that it runs the version of the update. */
  | { readonly kind: "running" }
  | { readonly kind: "replaced" }
  | { readonly kind: "expired" }
  | { readonly kind: "cancelled" };

/** The console received a newer command for the same app, or for firmware, before it had completed this one. */
const SUPERSEDED = "superseded" satisfies FaultCode;

/** The command had no result in time. */
const EXPIRED = "command_expired" satisfies FaultCode;

export const INITIAL: CommandStatus = Object.freeze({ state: "pending", progress: null, error: null });

export function advance(status: CommandStatus, event: CommandEvent): CommandStatus {
  if (status.state !== "pending") return status;
  switch (event.kind) {
    case "result":
      return afterResult(status, event.result);
    case "running":
      return status.progress === null ? { state: "done", progress: "confirmed", error: null } : status;
    case "replaced":
      return { ...status, state: "replaced" };
    case "cancelled":
      return { ...status, state: "cancelled" };
    case "expired":
      return { ...status, state: "cancelled", error: EXPIRED };
    default:
      return event satisfies never;
  }
}

function afterResult(status: CommandStatus, result: AppResult | FirmwareResult): CommandStatus {
  if (result.success === false && result.error === SUPERSEDED)
    return { ...status, state: "replaced", error: SUPERSEDED };
  if (result.type !== "firmware.update.result")
    return {
      ...status,
      state: result.success ? "done" : "failed",
      error: result.success ? null : result.error,
    };
  const progress = result.state;
  if (result.success === false) return { state: "failed", progress, error: result.error };
  switch (progress) {
    case "available":
    case "staged":
    case "pending_confirm":
      return { ...status, progress };
    case "confirmed":
      return { state: "done", progress, error: null };
    case "rolled_back":
    case "rejected":
      return { state: "failed", progress, error: result.error };
    default:
      return progress satisfies never;
  }
}

/** The kind of command that a result answers. */
export function kindOf(result: AppResult | FirmwareResult): CommandKind {
  switch (result.type) {
    case "app.install.result":
      return "install";
    case "app.uninstall.result":
      return "uninstall";
    case "firmware.update.result":
      return "firmware";
    default:
      return result satisfies never;
  }
}

/** The known state of an app after a command for it has ended. */
export type KnownApp = { readonly state: DeviceAppState; readonly error: string | null } | "absent";

/** @returns `undefined` if the result does not concern an app */
export function appAfter(
  kind: CommandKind,
  { state, error }: Pick<CommandStatus, "state" | "error">,
): KnownApp | undefined {
  if (kind === "firmware") return undefined;
  if (state === "done") return kind === "install" ? { state: "installed", error: null } : "absent";
  if (state !== "failed") return undefined;
  // The app was not installed, so the uninstall is successful.
  if (kind === "uninstall" && error === "app_not_found") return "absent";
  return { state: "failed", error };
}
