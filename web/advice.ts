/** What a user of this page can do about a console's error. */
import type { ClientCode } from "../device-client/device-error.js";

/** By the codes of the client, and of consoles, where their message does not say. */
const ADVICE: Readonly<Partial<Record<ClientCode | (string & {}), string>>> = Object.freeze({
  device_unreachable: "Is it switched on, in the same network, and is this its address?",
  device_timeout: "The console may be busy or hang. Try again, or switch it off and on.",
  device_lost: "Is it switched on, in reach, or its cable plugged in?",
  device_not_found: "Plug the console in again, or choose another port.",
  not_a_console: "Choose another port or address.",
  port_busy:
    "Another program or browser tab has it open: close that one, and try again. If there is none, you may not open it; on Linux, join the group of the port, most often dialout.",
  port_denied:
    "Allow serial ports in the settings of this site, left of the address bar, or ask whoever manages this browser.",
  port_not_chosen: "Choose the console’s port in the browser’s list.",
  serial_unsupported: "Chrome, Edge and Opera on a desktop have Web Serial, from version 89 on.",
  answer_invalid: "The console may run firmware of another version than this page: load the page again.",
  cancelled: "Nothing has changed on the console.",
  signature_missing: "Choose the package together with its signature: the file beside it that ends in .sig.",
  signature_invalid: "It was changed after it was signed, or this console does not trust who signed it.",
  unauthorized:
    "This console asks for its token: type it in, and connect. It is on the Device panel while the console is connected by cable.",
  foreign_origin:
    "Open the console’s own address instead, where it serves this page. Its firmware lists other pages that may use it in CONFIG_SVC_HTTP_ALLOWED_ORIGINS.",
  foreign_host: "Use its IP address or its .local name.",
  upload_busy: "Another upload is under way. It is forgotten after 30 s of silence.",
  usb_only: "Connect it by cable.",
  wifi_only: "Connect it by its address in the network.",
  storage_full: "Uninstall an app.",
  too_many_apps: "Stop an app.",
  publisher_mismatch: "Uninstall the app of that name first. What it has stored goes with it.",
  version_older: "Connect the console by cable to go back to an older version.",
  safe_mode: "Reboot the console to leave safe mode.",
  version_downgrade: "The console runs newer firmware.",
  wrong_board: "This firmware is for another kind of console.",
});

/** @param code of a `DeviceError`, or one that a hub was told by a console */
export function adviceFor(code: string): string | undefined {
  return Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
}

/** Its own where it has one, else what there is to say about its code. */
export function adviceOf(error: { readonly code: string; readonly advice?: string | undefined }) {
  return error.advice ?? adviceFor(error.code);
}
