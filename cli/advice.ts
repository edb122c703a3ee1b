/** Advice on errors for users of the terminal. */

/** Advice by the codes of svc, of the client (device-client/device-error.ts) and of consoles. */
const ADVICE = Object.freeze({
  device_unreachable: "Check that it is on, and its address: `svc discover` lists the consoles nearby.",
  device_timeout: "The console may be busy or may hang. Try again, or restart it.",
  device_lost: "Plug the cable in again, or wait until the console is back.",
  device_ambiguous: "Choose one with --device.",
  device_not_found: "Connect one by USB, join its network, or give its address with --device.",
  not_a_console: "Choose another port or address.",
  port_busy: "Another program or browser tab has the port open. Close it and try again.",
  port_denied: "You have no permission to open the port. On Linux, join its group, usually `dialout`.",
  answer_invalid: "The console may run firmware that is newer or older than svc. Update one of them.",
  cancelled: "The console may have completed part of it; check with `svc apps` and `svc ota status`.",
  signature_missing:
    "Sign it while installing with `svc install FILE --key PEM`, or write FILE.svcpkg.sig with `svc app pack DIR --key PEM`.",
  signature_invalid:
    "The file was changed after signing, or the console does not trust its key. Sign it with another key: `svc install FILE --key PEM`.",
  unauthorized:
    "This console requires its token: store it with `svc pair`, or print it with `svc token`, both over USB.",
  foreign_origin: "Build the firmware with this page's origin in CONFIG_SVC_HTTP_ALLOWED_ORIGINS.",
  foreign_host: "Use its IP address or its .local name.",
  upload_busy:
    "Another upload is in progress. Try again later; the console drops it after 30 s without data.",
  usb_only: "Connect the console by USB.",
  wifi_only: "Use the network address of the console.",
  storage_full: "Free storage: `svc uninstall NAME` removes an app.",
  too_many_apps: "Stop another app first: `svc stop NAME`.",
  publisher_mismatch:
    "If the publisher has a new key, put the output of `svc key succeed` beside the file as FILE.succession. Otherwise `svc uninstall NAME` frees the name.",
  version_older: "To downgrade, connect the console by USB and add --downgrade.",
  safe_mode: "Reboot the console to leave safe mode.",
  version_downgrade:
    "The console has newer firmware. Use a newer version, or one with a higher security version.",
  wrong_board: "This firmware is for another kind of console.",
  wrong_usage: "`svc --help` lists the commands, `svc COMMAND --help` shows the usage of one.",
  output_not_written: "The command itself may have succeeded.",
  token_invalid: "Copy the whole token, as the hub's operator or `svc hub account create` printed it.",
  keys_invalid: "Use a file of public keys, such as publisher.pub.pem from `svc keygen --out DIR`.",
  media_type_unsupported:
    "`svc install` accepts packages (.svcpkg), modules (.wasm) and AOT files; send firmware (.svcfw) with `svc ota upload`.",
  package_invalid: "Pack the app again with `svc app pack DIR --key PEM`.",
  manifest_invalid: "Correct manifest.json, and pack the app again with `svc app pack DIR --key PEM`.",
  app_not_found: "`svc apps` lists the installed apps.",
  app_running: "Stop it first: `svc stop NAME`.",
  app_stopped: "Start it first: `svc start NAME`.",
  nothing_pending:
    "`svc ota status` shows what runs; `svc ota upload FILE --wait` sends firmware and runs it on trial.",
  confirm_pending:
    "Keep the firmware on trial with `svc ota confirm`, or return to the old one with `svc reboot`.",
  bundle_magic:
    "The file is not a firmware bundle. Create one with `svc firmware pack IMAGE --key PEM --out FILE.svcfw`.",
  bundle_version: "The bundle is damaged or needs a newer console. Pack it again with `svc firmware pack`.",
  bundle_length: "The file is incomplete or has extra bytes. Copy or download it again.",
  bundle_crc: "The file is damaged. Copy or download it again.",
  image_invalid: "The bundle contains no firmware image. Build one with `npm run build:firmware` or ESP-IDF.",
  shell_disabled: "The console was built without CONFIG_SVC_SHELL_WEB_CMD_ENABLE.",
});

/** Advice for codes that have another meaning for firmware. */
const FIRMWARE_ADVICE: Readonly<Record<string, string>> = Object.freeze({
  signature_invalid:
    "The bundle was changed after signing, or the console does not trust its key. Sign with another key: `svc firmware pack IMAGE --key PEM --out FILE.svcfw`.",
});

/** Advice by the codes of hubs, some of which differ in meaning. */
const HUB_ADVICE = Object.freeze({
  hub_unreachable: "Check that the hub runs, and its address; `svc hub login --url URL` changes the address.",
  unauthorized: "Log in with `svc hub login`.",
  version_exists:
    "A published version cannot be replaced. Increase `version` in manifest.json, and pack the app again.",
  version_not_newer: "Increase `version` in manifest.json, and pack the app again.",
  app_not_found: "`svc catalog` lists the apps on the hub.",
  version_not_found: "Omit --version to install the newest.",
  device_not_found: "`svc hub devices` lists your consoles; add one with `svc hub claim`.",
  member_not_found: "`svc hub account members list` lists the members.",
  token_not_found: "`svc hub account tokens list` lists the tokens.",
  webhook_not_found: "`svc hub account webhooks list` lists the webhooks.",
  webhook_disabled: "Enable it with `svc hub account webhooks enable`.",
  claim_code_unknown:
    "The code has expired or is mistyped. Show a new one with `svc shell hub status` over USB.",
  compile_off:
    "Install the C compiler and omit --by-hub, or ask a hub whose operator has set SVC_HUB_COMPILE.",
  compiler_missing: "Tell the hub's operator, or install the C compiler here and omit --by-hub.",
  signature_invalid:
    "The file was changed after signing, or its key is not one of the publisher's keys on the hub. Pack it again with the right key.",
});

/** Attaches the advice for firmware to errors of `work`. */
export async function advisedOnFirmware<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { code = "", advice } = Object(error) as { code?: string; advice?: string };
    if (advice !== undefined || !Object.hasOwn(FIRMWARE_ADVICE, code)) throw error;
    throw Object.assign(Object(error), { advice: FIRMWARE_ADVICE[code] });
  }
}

/** @returns the error's own advice, or the advice for its code */
export function adviceOf(error: unknown): string | undefined {
  const { name, code, advice } = Object(error) as { name?: string; code?: string; advice?: string };
  if (advice !== undefined || code === undefined) return advice;
  const table: Readonly<Record<string, string>> = name === "HubRefusal" ? HUB_ADVICE : ADVICE;
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
