/** Describes a failed trial. */
import type { LastResult } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { IMAGE_HEAD_BYTES, readImageHeader } from "../../../protocol/firmware/image-header.js";
import type { FirmwareSlots, TrialEnd } from "../../ports/firmware-slots.js";

const WHAT_HAPPENED: Readonly<Record<Exclude<TrialEnd, "confirmed">, string>> = Object.freeze({
  crash: "crashed before it was confirmed",
  watchdog: "hung before it was confirmed",
  reboot: "was restarted before it was confirmed",
  power_loss: "lost power before it was confirmed",
  timeout: "was not confirmed in time",
  damaged: "was damaged when it was to start",
});

/** @param slots whose other slot still holds what was tried */
export function rolledBack(end: Exclude<TrialEnd, "confirmed">, slots: FirmwareSlots): LastResult {
  const version = versionOf(slots);
  const name = version === undefined ? "The new firmware" : `Firmware ${version}`;
  return {
    result: "rolled_back",
    error: end,
    message: `${name} ${WHAT_HAPPENED[end]}`,
    ...(version !== undefined && { version }),
  };
}

function versionOf(slots: FirmwareSlots): string | undefined {
  const head = new Uint8Array(IMAGE_HEAD_BYTES);
  const byteLength = slots.readOther(head, 0);
  try {
    return readImageHeader(head.subarray(0, byteLength)).version;
  } catch (error) {
    if (error instanceof Fault) return undefined; // a damaged image need not have a header
    throw error;
  }
}
