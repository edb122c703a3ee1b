/** `svc/drives`: this console has neither a slot for a card nor a port for a drive. */

/** @type {import("../../../../device/ports/drives.js").Drives} */
const drives = { sd: undefined, usb: undefined };

export default Object.freeze(drives);
