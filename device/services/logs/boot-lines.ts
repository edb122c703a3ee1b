/** The first line of a run: what runs, and why it was started. */
import type { ResetReason } from "../../ports/system.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";

export function bootLine({ version, codename }: FirmwareFacts, resetReason: ResetReason): string {
  return `firmware ${version} (${codename}), reset reason is ${resetReason}`;
}
