/**
 * Safe mode: what a console does after crashes in a row, so that its owner can mend it over HTTP or the cable. Apps, drives
 * and the hub are left out, since one of them may be what crashes it; a restart leaves it (docs/adr/0023).
 */
import { Fault } from "../../../protocol/fault.js";

export const SAFE_MODE_LINE =
  "safe mode, since the console has crashed several times in a row: no apps, no drives, no hub; a reboot leaves it";

/** What safe mode does not do (docs/spec/boot-and-slots.md#safe-mode). @param what is not done, as a sentence */
export function safeModeFault(what: string): Fault {
  return new Fault("safe_mode", `The console is in safe mode: ${what}; reboot it to leave safe mode`);
}
