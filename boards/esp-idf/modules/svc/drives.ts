/** `svc/drives`: this console has neither a card slot nor a port for a USB drive. */
import type { Drives } from "../../../../device/ports/drives.js";

const drives: Drives = { slots: [], sd: undefined, usb: undefined };

export default Object.freeze(drives);
