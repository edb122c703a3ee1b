/** The log lines of a boot: why the run was started, its version, and its addresses. */
import type { ResetReason } from "../../ports/system.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";

export function bootLine({ version, codename }: FirmwareFacts, resetReason: ResetReason): string {
  return `firmware ${version} (${codename}), reset reason is ${resetReason}`;
}

export function readyLine(name: string, httpPort: number, wsPort: number): string {
  return `${name} is ready: HTTP on port ${httpPort}, log on port ${wsPort}`;
}
