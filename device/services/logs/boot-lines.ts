/** What a run says of itself: why it was started, what it is, and where it is reached. */
import type { ResetReason } from "../../ports/system.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";

export function bootLine({ version, codename }: FirmwareFacts, resetReason: ResetReason): string {
  return `firmware ${version} (${codename}), reset reason is ${resetReason}`;
}

export function readyLine(name: string, httpPort: number, wsPort: number): string {
  return `${name} is ready: HTTP on port ${httpPort}, log on port ${wsPort}`;
}
