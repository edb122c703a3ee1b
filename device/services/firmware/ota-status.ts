/** Body of `GET /api/ota/status` (docs/spec/boot-and-slots.md#ota-status). */
import type { AvailableFirmware, LastResult, OtaStatus } from "../../../protocol/device/answers.js";
import type { Slot } from "../../ports/firmware-slots.js";
import { progressPercent, type Update } from "./update-phase.js";

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
