/** What the user of a terminal can do about an error. */

/** By the codes of svc, of the client (device-client/device-error.ts) and of consoles, where their message does not say. */
const ADVICE = Object.freeze({
  device_unreachable: "Is it switched on, and is this its address? `svc discover` lists the consoles around.",
  device_timeout: "The console may be busy or hang. Try again, or restart it.",
  device_lost: "Plug the cable in again, or wait until the console is back.",
  device_ambiguous: "Say which one with --device.",
  device_not_found: "Plug one in, join its network, or say where it is with --device.",
  not_a_console: "Choose another port or address.",
  port_busy: "Another program or browser tab has it open. Close that one, and try again.",
  port_denied: "You may not open it. On Linux, join the group of the port, most often `dialout`.",
  answer_invalid: "It may run firmware that is newer or older than this program.",
  cancelled: "What the console had got before, it may have done: `svc apps` and `svc ota status` tell.",
  signature_missing:
    "Sign it: `svc install FILE --key PEM` does so at once, and `svc app pack DIR --key PEM` writes FILE.svcpkg.sig beside the package.",
  signature_invalid:
    "It was changed after it was signed, or who signed it is not trusted there. `svc install FILE --key PEM` signs it with another key.",
  unauthorized:
    "This console asks for its token: `svc pair` keeps it for later commands, `svc token` shows it over USB.",
  foreign_origin: "The console's build lists the pages that may use it in CONFIG_SVC_HTTP_ALLOWED_ORIGINS.",
  foreign_host: "Use its IP address or its .local name.",
  upload_busy: "Another upload is under way. It is forgotten after 30 s of silence.",
  usb_only: "Use the cable.",
  wifi_only: "Use its address in the network.",
  storage_full: "Uninstall an app.",
  too_many_apps: "Stop an app.",
  publisher_mismatch:
    "`svc uninstall NAME` frees the name. If the publisher has a new key, put what `svc key succeed` wrote beside the file, as FILE.succession.",
  version_older: "Connect the cable, and add --downgrade.",
  safe_mode: "Reboot the console to leave safe mode.",
  version_downgrade: "The console runs newer firmware.",
  wrong_board: "This firmware is for another kind of console.",
  wrong_usage: "`svc --help` lists the commands, and `svc COMMAND --help` what one takes.",
  output_not_written: "What it was to do may be done all the same.",
  token_invalid: "Copy all of it: from the hub's operator, or from where the account was made.",
  keys_invalid:
    "It takes public keys, one after the other: publisher.pub.pem as `svc keygen --out DIR` makes it.",
  media_type_unsupported:
    "Apps are packages (.svcpkg), modules (.wasm) and AOT files; firmware (.svcfw) goes by `svc ota upload`.",
  package_invalid: "`svc app pack DIR --key PEM` makes packages.",
  manifest_invalid: "Change its manifest.json, and pack it again: `svc app pack DIR --key PEM`.",
  app_not_found: "`svc apps` lists those that are installed.",
  app_running: "`svc stop NAME` stops it.",
  app_stopped: "`svc start NAME` starts it.",
  nothing_pending: "`svc ota status` says what runs; `svc ota upload FILE --wait` tries firmware out.",
  confirm_pending: "`svc ota confirm` keeps the firmware that is on trial, `svc reboot` goes back.",
  bundle_magic: "Firmware is a bundle (.svcfw): `svc firmware pack IMAGE --key PEM` makes one.",
  bundle_version: "It is for newer consoles, or damaged: pack it again with `svc firmware pack`.",
  bundle_length: "It has been cut off, or something is behind it. Copy it, or download it, again.",
  bundle_crc: "It was damaged on its way. Copy it, or download it, again.",
  image_invalid: "What was packed is no firmware: `npm run build:firmware` or ESP-IDF makes it.",
  shell_disabled: "The console was built without CONFIG_SVC_SHELL_WEB_CMD_ENABLE.",
});

/** By the codes that mean something else where they are said of firmware. @type {Readonly<Record<string, string>>} */
const FIRMWARE_ADVICE = Object.freeze({
  signature_invalid:
    "It was changed after it was signed, or who signed it is not trusted there. `svc firmware pack IMAGE --key PEM --out FILE.svcfw` signs it with another key.",
});

/** By the codes of hubs, which mean something else by some of them. */
const HUB_ADVICE = Object.freeze({
  hub_unreachable: "Is it running, and is this its address? `svc hub login --url URL` keeps another one.",
  unauthorized: "Log in with `svc hub login`.",
  version_exists: "What is published stays. Raise `version` in manifest.json, and pack it again.",
  version_not_newer: "Raise `version` in manifest.json, and pack it again.",
  app_not_found: "`svc catalog` lists the apps of the hub.",
  version_not_found: "Leave --version out for the newest.",
  device_not_found: "`svc hub devices` lists yours; `svc hub claim` makes one yours.",
  claim_code_unknown: "The console shows its code, which is good for a while: ask it for another one.",
  signature_invalid:
    "The hub knows the publisher by other keys, or the file was changed after it was signed: pack it again.",
});

/**
 * What goes wrong with firmware carries the advice that is for firmware.
 *
 * @template Result
 * @param {Promise<Result>} work
 */
export async function advisedOnFirmware(work) {
  try {
    return await work;
  } catch (error) {
    const { code = "", advice } = /** @type {{ code?: string, advice?: string }} */ (Object(error));
    if (advice !== undefined || !Object.hasOwn(FIRMWARE_ADVICE, code)) throw error;
    throw Object.assign(Object(error), { advice: FIRMWARE_ADVICE[code] });
  }
}

/**
 * @param {unknown} error
 * @returns {string | undefined} its own, or what there is to say about an error of the client
 */
export function adviceOf(error) {
  const { name, code, advice } = /** @type {{ name?: string, code?: string, advice?: string }} */ (
    Object(error)
  );
  if (advice !== undefined || code === undefined) return advice;
  /** @type {Readonly<Record<string, string>>} */
  const table = name === "HubRefusal" ? HUB_ADVICE : ADVICE;
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
