/**
 * The one table of endpoints. HTTP, USB and the reference documentation derive from it; to add an endpoint, add a row
 * here.
 */
import { listApps, startApp, stopApp, uninstallApp } from "../apps/app-endpoints.js";
import { tokenAnswer } from "../auth/token-endpoints.js";
import { pressButtons, showScreen } from "../display/display-endpoints.js";
import { FlashBody } from "../firmware/flash-body.js";
import { confirmFirmware, showOtaStatus } from "../firmware/ota-endpoints.js";
import { setHub, showHub } from "../hub/hub-endpoints.js";
import { recentLog, switchLogStream } from "../logs/log-endpoints.js";
import { showPage } from "../page/page-endpoint.js";
import { runCommand } from "../shell/command-endpoint.js";
import { reboot, showStatus, showSystem } from "../status/status-endpoints.js";
import { showRevocations } from "../trust/revocations-upload.js";
import { CHUNK_PARAMETERS, UPLOAD_PARAMETERS } from "../upload/chunk-head.js";
import { provisionWifi, scanWifi, showWifi } from "../wifi/wifi-endpoints.js";
import type { Endpoint } from "./endpoint.js";
import type { Parameter } from "./parameters.js";

const APP_NAME: Parameter = Object.freeze({
  name: "name",
  type: "text",
  isRequired: true,
  summary: "The app's name.",
});

const COMMAND_LINE: Parameter = Object.freeze({
  name: "c",
  type: "text",
  isRequired: true,
  summary: "The command line.",
});

const SHELL_RESULT = '{"output","error"?}';

const APP_ENTRY =
  '{"name","version","state":"stopped|running","description","author","size_bytes","memory_quota","capabilities":[…],"variants":[…],"publisher"?,"engine":"wasm3|aot"?,"last_exit":{"reason":"exit|trap|stopped|quota|host_error","code"?,"message"?,"at_ms"}?}';

const OTA_STATUS =
  '{"state":"idle|receiving|staged|pending_confirm","received_bytes","total_bytes","progress_percent","running_version","running_slot":"a|b","staged_version"?,"confirm_within_ms"?,"available":{"version","download_url"}?,"last_result":{"result":"confirmed|rolled_back|rejected","error"?,"message"?,"version"?}?}';

const REVOCATIONS = '{"number","revoked"}';

const HUB_STATUS = '{"url","connected","device_id"?,"claim_code"?}';

const WIFI_STATUS =
  '{"state":"unprovisioned|joining|joined|waiting","ssid"?,"ip","rssi","last_error":{"reason":"not_found|wrong_password|refused|lost|no_address|timeout","message"}?}';

export const ENDPOINTS: readonly Endpoint[] = Object.freeze([
  {
    method: "GET",
    path: "/",
    summary:
      "The web console: a page of HTML, always in gzip. Asks for no token. 404 `not_found` where the firmware was built without it.",
    transport: "http",
    isForAnyone: true,
    answer: "<!doctype html>…",
    handle: showPage,
  },
  {
    method: "GET",
    path: "/console.js",
    summary: "The script of the web console, with which it is there and connects. As `GET /`.",
    transport: "http",
    isForAnyone: true,
    answer: "import…",
    handle: showPage,
  },
  {
    method: "GET",
    path: "/panels.js",
    summary: "The rest of the script, which the page loads once it is there. As `GET /`.",
    transport: "http",
    isForAnyone: true,
    answer: "import…",
    handle: showPage,
  },
  {
    method: "GET",
    path: "/api/status",
    summary: "What the console is and how it is doing.",
    answer:
      '{"fw_version","codename","uptime_ms","free_heap_bytes","wifi_ip","wifi_rssi","bt_mode":"off|advertising|connected"}',
    handle: showStatus,
  },
  {
    method: "GET",
    path: "/api/system",
    summary:
      "Board, processor, memory, storage, firmware, limits and features, measured now. `ws_port` is the TCP port of the WebSocket that the log is on.",
    answer:
      '{"name","board","arch","mac","cpu":{"model","cores","frequency_mhz"?,"load_percent"},"heap":{"total_bytes","free_bytes","minimum_free_bytes"},"psram":{"total_bytes","free_bytes"}?,"storage":{"total_bytes","free_bytes"},"firmware":{"version","codename","slot":"a|b","state"},"reset_reason","safe_mode":true?,"ws_port","limits":{…},"features":[…]}',
    handle: showSystem,
  },
  {
    method: "POST",
    path: "/api/reboot",
    summary: "Restarts the console once this answer has been sent.",
    answer: '{"rebooting":true}',
    handle: reboot,
  },
  {
    method: "GET",
    path: "/api/apps/list",
    summary: "The installed apps, in alphabetical order.",
    answer: `[${APP_ENTRY},…]`,
    handle: listApps,
  },
  {
    method: "POST",
    path: "/api/apps/start",
    summary: "Starts an app; the entry as it is afterwards.",
    parameters: [APP_NAME],
    answer: APP_ENTRY,
    handle: startApp,
  },
  {
    method: "POST",
    path: "/api/apps/stop",
    summary: "Stops a running app; the entry once it has ended.",
    parameters: [APP_NAME],
    answer: APP_ENTRY,
    handle: stopApp,
  },
  {
    method: "POST",
    path: "/api/apps/uninstall",
    summary: "Stops an app where it runs, and removes it with all it has stored.",
    parameters: [APP_NAME],
    answer: '{"removed"}',
    handle: uninstallApp,
  },
  {
    method: "POST",
    path: "/api/apps/install",
    summary:
      "Installs a signed package, module or AOT file, in one request or in chunks; the entry as it is afterwards. 409 `publisher_mismatch` where another publisher's app has that name. A chunk that is not the last is answered 206 with `received_bytes` and `next`.",
    parameters: [
      {
        name: "name",
        type: "text",
        summary:
          "The app's name, for a module without a manifest and for an AOT file. Left out: `uploaded_app`. 400 `bad_request` where a manifest says another one.",
      },
      {
        name: "downgrade",
        type: "flag",
        summary:
          "Whether an older version may take the place of the installed one. Counts over USB, and over HTTP where the firmware has `CONFIG_SVC_APP_ALLOW_DOWNGRADE`; else 409 `version_older`.",
      },
      ...UPLOAD_PARAMETERS,
    ],
    answer: APP_ENTRY,
    receive: ({ uploads, appUpload }, call) => uploads.receive(call, appUpload),
  },
  {
    method: "GET",
    path: "/api/ota/status",
    summary:
      "How the firmware update under way is doing, and how the last one ended. `error` is the code that an upload was rejected with, or why the old firmware came back: `crash`, `watchdog`, `reboot`, `power_loss`, `timeout` or `damaged`.",
    answer: OTA_STATUS,
    handle: showOtaStatus,
  },
  {
    method: "POST",
    path: "/api/ota/upload",
    summary:
      "Stages a firmware bundle for the next restart, in one request or in chunks; the state afterwards. A chunk that is not the last is answered 206 with `received_bytes` and `next`.",
    parameters: [
      {
        name: "reboot",
        type: "flag",
        summary:
          "Whether to restart into the firmware at once. With chunks, in the first or the last of them.",
      },
      ...CHUNK_PARAMETERS,
    ],
    answer: OTA_STATUS,
    receive: ({ uploads, firmwareUpload }, call) => uploads.receive(call, firmwareUpload),
  },
  {
    method: "POST",
    path: "/api/ota/confirm",
    summary:
      "Keeps the running firmware, which is on trial, for good; the state afterwards. 409 `nothing_pending` where none is, 403 `signature_invalid` where its key is revoked.",
    answer: OTA_STATUS,
    handle: confirmFirmware,
  },
  {
    method: "POST",
    path: "/upload",
    summary:
      "Stages the firmware bundle that is the body, and restarts into it. 415 `media_type_unsupported` for anything else.",
    transport: "http",
    answer: OTA_STATUS,
    receive: ({ uploads, firmwareFlash }, call) =>
      new FlashBody(() => uploads.receiveWhole(call, firmwareFlash)),
  },
  {
    method: "GET",
    path: "/api/screen",
    summary: "The display as it is shown now: a PNG over HTTP, and the same in base64 over USB.",
    answer: '{"png"}',
    handle: showScreen,
  },
  {
    method: "POST",
    path: "/api/buttons",
    summary: "Holds these buttons down from afar, and no others, until it is called again.",
    parameters: [
      {
        name: "pressed",
        type: "integer",
        isRequired: true,
        summary: "Bits, from bit 0: up, down, left, right, A, B, X, Y, start, select.",
      },
    ],
    answer: '{"pressed"}',
    handle: pressButtons,
  },
  {
    method: "GET",
    path: "/api/logs",
    summary: "Lines of the log buffer. Over USB they come as `log` events instead.",
    transport: "http",
    parameters: [
      {
        name: "since",
        type: "integer",
        summary:
          "Number of the first line wanted: the `next` of the answer before. Left out, the newest `limit` lines. One beyond the newest line (the console has restarted) gives everything.",
      },
      { name: "limit", type: "integer", summary: "How many lines at the most; left out, all of them." },
    ],
    answer: '{"lines":["<seconds>.<milliseconds> <D|I|W|E> <source>: <message>",…],"next","dropped"}',
    handle: recentLog,
  },
  {
    method: "POST",
    path: "/api/logs/stream",
    summary: "Switches the `log` events of this USB port.",
    transport: "usb",
    parameters: [
      { name: "enabled", type: "flag", isRequired: true, summary: "Whether lines come as events." },
    ],
    answer: '{"enabled"}',
    handle: switchLogStream,
  },
  {
    method: "GET",
    path: "/api/cmd",
    summary:
      "Run a shell command that only reads. 403 `needs_post` for one that changes something; 403 `shell_disabled` where the build leaves the shell out.",
    parameters: [COMMAND_LINE],
    answer: SHELL_RESULT,
    handle: runCommand,
  },
  {
    method: "POST",
    path: "/api/cmd",
    summary:
      "Run a shell command; the body is empty. `error` is the code of what went wrong in it. 403 `shell_disabled` where the build leaves the shell out.",
    parameters: [COMMAND_LINE],
    answer: SHELL_RESULT,
    handle: runCommand,
  },
  {
    method: "GET",
    path: "/api/keys/revocations",
    summary:
      "The list of revoked keys that counts: its number, 0 where there is none, and how many keys are in it.",
    answer: REVOCATIONS,
    handle: showRevocations,
  },
  {
    method: "POST",
    path: "/api/keys/revocations",
    summary:
      "Takes a list of revoked keys, signed by a key that may sign firmware, in one request or in chunks. 409 `revocations_older` unless its number is higher than that of the list that counts, or it is the same list; 422 `revocations_invalid` for another shape, a number more than 65536 higher, and for one that would leave no key for firmware; 403 `signature_invalid`. Where the list that counts is damaged, the same list mends it, and one with a higher number over USB alone.",
    parameters: CHUNK_PARAMETERS,
    answer: REVOCATIONS,
    receive: ({ uploads, revocationsUpload }, call) => uploads.receive(call, revocationsUpload),
  },
  {
    method: "GET",
    path: "/api/hub",
    summary:
      "The hub that the console belongs to, and whether it is connected. `claim_code` is what an account takes the console with: it is there until one has, and over USB only.",
    answer: HUB_STATUS,
    handle: showHub,
  },
  {
    method: "POST",
    path: "/api/hub",
    summary:
      "Set the console's hub, for after a restart too; the state afterwards. Over WiFi a hub is set where there is none; to change or forget it takes the cable or the bearer token, else 401. The hub that is set already is tried again.",
    parameters: [
      {
        name: "url",
        type: "text",
        isRequired: true,
        summary: "Such as `https://hub.example`, with or without `/api/v1` at its end; empty: no hub.",
      },
      {
        name: "same_hub",
        type: "flag",
        summary:
          "The hub has moved there: the console keeps its device token and its registration. Takes the cable or the bearer token.",
      },
    ],
    answer: HUB_STATUS,
    handle: setHub,
  },
  {
    method: "GET",
    path: "/api/auth/token",
    summary: "The bearer token of HTTP and WebSocket, and whether this build asks for it.",
    transport: "usb",
    answer: '{"token","required"}',
    handle: ({ accessToken, config }) => tokenAnswer(accessToken.value, config),
  },
  {
    method: "POST",
    path: "/api/auth/token",
    summary: "Replaces the bearer token; the old one is refused from then on.",
    transport: "usb",
    answer: '{"token","required"}',
    handle: ({ accessToken, config }) => tokenAnswer(accessToken.replace(), config),
  },
  {
    method: "GET",
    path: "/api/wifi",
    summary:
      "The WiFi network that the console is to be in, and how that is going. `waiting`: it could not be joined or was lost, and is tried again.",
    transport: "usb",
    answer: WIFI_STATUS,
    handle: showWifi,
  },
  {
    method: "GET",
    path: "/api/wifi/scan",
    summary:
      "The networks around, the strongest first, at most 20. Takes some seconds. 409 `wifi_busy` while another scan is under way.",
    transport: "usb",
    answer: '{"networks":[{"ssid","rssi","channel","secured"},…]}',
    handle: scanWifi,
  },
  {
    method: "POST",
    path: "/api/wifi",
    summary:
      "Keeps a network, for after a restart too, and begins to join it, or forgets the one that is kept; the state afterwards.",
    transport: "usb",
    parameters: [
      {
        name: "ssid",
        type: "text",
        summary: "The network's name, 1 to 32 bytes; needed unless it is `forget`.",
      },
      {
        name: "password",
        type: "text",
        summary:
          "8 to 63 printable ASCII characters, or 64 hexadecimal digits; left out or empty: the network is open.",
      },
      {
        name: "forget",
        type: "flag",
        summary: "`true`: leaves the network and joins none, until one is given. Stands alone.",
      },
    ],
    answer: WIFI_STATUS,
    handle: provisionWifi,
  },
] satisfies Endpoint[]);
