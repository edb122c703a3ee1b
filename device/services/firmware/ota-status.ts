/** Body of `GET /api/ota/status` (section 7 of the decisions). */
import type { Slot } from "../../ports/firmware-slots.js";
import type { LastResult } from "./last-result.js";
import { progressPercent, type Update } from "./update-phase.js";

export type OtaStatus = {
  readonly state: Update["phase"];
  /** Of the bundle that is being received, or was staged; 0 otherwise. */
  readonly received_bytes: number;
  /** 0 also while the length of the bundle is not known yet. */
  readonly total_bytes: number;
  readonly progress_percent: number;
  readonly running_version: string;
  readonly running_slot: Slot;
  readonly staged_version?: string;
  readonly confirm_within_ms?: number;
  readonly available?: AvailableFirmware;
  readonly last_result?: LastResult;
};

/** What the hub has announced, and nobody has fetched yet. */
export type AvailableFirmware = { readonly version: string; readonly download_url: string };

export interface OtaStatusSources {
  readonly update: Update;
  readonly runningVersion: string;
  readonly runningSlot: Slot;
  readonly available: AvailableFirmware | undefined;
  readonly lastResult: LastResult | undefined;
  /** Milliseconds since boot. */
  readonly nowMs: number;
}

export function otaStatus({
  update,
  runningVersion,
  runningSlot,
  available,
  lastResult,
  nowMs,
}: OtaStatusSources): OtaStatus {
  return {
    state: update.phase,
    ...lengths(update),
    progress_percent: progressPercent(update),
    running_version: runningVersion,
    running_slot: runningSlot,
    ...(update.phase === "staged" && { staged_version: update.version }),
    ...(update.phase === "pending_confirm" && { confirm_within_ms: Math.max(update.untilMs - nowMs, 0) }),
    ...(available && { available }),
    ...(lastResult && { last_result: lastResult }),
  };
}

function lengths(update: Update): Pick<OtaStatus, "received_bytes" | "total_bytes"> {
  switch (update.phase) {
    case "receiving":
      return { received_bytes: update.receivedBytes, total_bytes: update.totalBytes ?? 0 };
    case "staged":
      return { received_bytes: update.totalBytes, total_bytes: update.totalBytes };
    case "idle":
    case "pending_confirm":
      return { received_bytes: 0, total_bytes: 0 };
    default:
      return update satisfies never;
  }
}
