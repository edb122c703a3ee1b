/** Finds advice for an error code, and turns any error into the message and advice that the page shows. */
import type { ClientCode } from "../device-client/device-error.js";

/** Advice by error code of the client or of a console. */
const ADVICE: Readonly<Partial<Record<ClientCode | (string & {}), string>>> = Object.freeze({
  device_unreachable: "Check that the console is on and in the same network, and its address.",
  device_timeout: "The console may be busy or may hang. Try again, or switch it off and on.",
  device_lost: "Check that the console is on, and its cable or network.",
  device_not_found: "Plug the console in again, or choose another port.",
  not_a_console: "Choose another port or address.",
  port_busy:
    "Another program or browser tab has the port open: close it and try again. Otherwise you may lack permission: on Linux, join the group of the port, usually dialout.",
  port_denied:
    "Allow serial ports in the settings of this site, left of the address bar, or ask the administrator of this browser.",
  port_not_chosen: "Choose the console’s port in the browser’s list.",
  serial_unsupported: "Use Chrome, Edge or Opera on a desktop, version 89 or newer.",
  answer_invalid: "The console may run firmware of another version than this page. Reload the page.",
  cancelled: "Nothing has changed on the console.",
  signature_missing: "Choose the package together with its signature: the file beside it that ends in .sig.",
  signature_invalid: "The file was changed after signing, or this console does not trust its key.",
  unauthorized:
    "The console requires its token for this: enter it on the Connect panel. Find it on the Device panel while the console is connected by cable.",
  foreign_origin:
    "Open the console’s own address instead, where it serves this page. Its firmware lists other pages that may use it in CONFIG_SVC_HTTP_ALLOWED_ORIGINS.",
  foreign_host: "Use its IP address or its .local name.",
  upload_busy:
    "Another upload is in progress. Try again later; the console drops it after 30 s without data.",
  usb_only: "Connect the console by cable.",
  wifi_only: "Connect to the console over the network.",
  storage_full: "Uninstall an app.",
  too_many_apps: "Stop an app.",
  publisher_mismatch: "Uninstall the app of that name first. This deletes its data.",
  version_older: "To install an older version, connect the console by cable.",
  safe_mode: "Reboot the console to leave safe mode.",
  version_downgrade: "The console runs newer firmware.",
  wrong_board: "This firmware is for another kind of console.",
});

/** @param code of a `DeviceError`, or of a console's error that a hub reports */
export function adviceFor(code: string): string | undefined {
  return Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
}

/** @returns the error's own advice, or the advice for its code */
export function adviceOf(error: { readonly code: string; readonly advice?: string | undefined }) {
  return error.advice ?? adviceFor(error.code);
}

export interface UserError {
  readonly message: string;
  readonly advice: string | undefined;
  /** The code to look up; `undefined` for a bug of this page. */
  readonly code: string | undefined;
}

/** @param error from the console (`DeviceError`), the hub (`HubError`), a parser (`Fault`), or any other source */
export function userErrorOf(error: unknown): UserError {
  const { message, advice, code } = Object(error);
  if (typeof code !== "string")
    return { message: String(message ?? error), advice: undefined, code: undefined };
  return { message: String(message), advice: typeof advice === "string" ? advice : adviceFor(code), code };
}
