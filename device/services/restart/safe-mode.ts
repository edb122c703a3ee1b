/**
 * Safe mode: the console enters it after crashes in a row, so that its owner can repair it over HTTP or the cable. It
 * disables apps, drives and the hub, since one of them may cause the crash; a restart leaves safe mode (docs/adr/0023).
 */
import { Fault } from "../../../protocol/fault.js";

export const SAFE_MODE_LINE =
  "safe mode, since the console has crashed several times in a row: no apps, no drives, no hub; a reboot leaves it";

/** What safe mode does not do (docs/spec/boot-and-slots.md#safe-mode). @param what is not done, as a sentence */
export function safeModeFault(what: string): Fault {
  return new Fault("safe_mode", `The console is in safe mode: ${what}; reboot it to leave safe mode`);
}
