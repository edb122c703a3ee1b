/**
 * The one table of endpoints. HTTP, USB and the reference documentation derive from it; to add an endpoint, add a row
 * here.
 */
import {
  allowBackground,
  bringAppToFront,
  listApps,
  showIcon,
  startApp,
  stopApp,
  uninstallApp,
} from "../apps/app-endpoints.js";
import { replaceToken, tokenAnswer } from "../auth/access-token.js";
import { pressButtons, showScreen } from "../display/display-service.js";
import { confirmFirmware, FlashBody, showOtaStatus } from "../firmware/firmware-upload.js";
import { answerQuestion, setHub, showHub, showQuestions } from "../hub/hub-service.js";
import { recentLog, switchLogStream } from "../logs/log-page.js";
import { showPage } from "../page/page-endpoint.js";
import { changePreferences, showPreferences } from "../preferences/preferences.js";
import { resetToFactory } from "../restart/factory-reset.js";
import { changeSetup, showSetup } from "../setup/setup-service.js";
import { runCommand } from "../shell/shell.js";
import { showSound } from "../sound/played-sound.js";
import { reboot, rebootToLoader, showStatus, showSystem } from "../status/status-service.js";
import { changeOwnerKeys, showOwnerKeys } from "../trust/owner-keys.js";
import { showRevocations } from "../trust/revocations.js";
import { CHUNK_PARAMETERS, UPLOAD_PARAMETERS } from "../upload/upload-phase.js";
import { provisionWifi, scanWifi, showWifi } from "../wifi/wifi-service.js";
import { type DocumentedParameter, parameterNames } from "./call.js";
import type { Endpoint } from "./endpoint.js";
import { routesOf } from "./routes.js";

const APP_NAME: DocumentedParameter = Object.freeze({
  name: "name",
  type: "text",
  isRequired: true,
  summary: "The app's name.",
});

const COMMAND_LINE: DocumentedParameter = Object.freeze({
  name: "c",
  type: "text",
  isRequired: true,
  summary: "The command line.",
});

export const ENDPOINTS: readonly Endpoint[] = Object.freeze([
  {
    method: "GET",
    path: "/",
    right: "page",
    summary:
      "The web console: a page of HTML, always in gzip. Asks for no token. 404 `not_found` where the firmware was built without it.",
    transport: "http",
    answer: "PAGE",
    handle: showPage,
  },
  {
    method: "GET",
    path: "/console.js",
    right: "page",
    summary: "The script of the web console, with which it is there and connects. As `GET /`.",
    transport: "http",
    answer: "SCRIPT",
    handle: showPage,
  },
  {
    method: "GET",
    path: "/panels.js",
    right: "page",
    summary: "The rest of the script, which the page loads once it is there. As `GET /`.",
    transport: "http",
    answer: "SCRIPT",
    handle: showPage,
  },
  {
    method: "GET",
    path: "/api/status",
    right: "read",
    summary: "The console's identity, hardware and load.",
    answer: "STATUS",
    handle: showStatus,
  },
  {
    method: "GET",
    path: "/api/system",
    right: "read",
    summary:
      "Board, processor, memory, storage, firmware, limits and features, measured now. `http_port` and `ws_port` are the TCP ports of HTTP and of the WebSocket that the log is on; `home_buttons` tells whether the home screen sees the buttons of who asks.",
    answer: "SYSTEM",
    handle: showSystem,
  },
  {
    method: "POST",
    path: "/api/reboot",
    right: "manage",
    summary: "Restart the console after this answer is sent.",
    answer: "REBOOTING",
    handle: reboot,
  },
  {
    method: "POST",
    path: "/api/reboot/loader",
    right: "cable",
    summary:
      "Restart into the chip's own loader after this answer is sent, to write the flash over the cable. 501 `not_implemented` where a restart cannot end there.",
    transport: "usb",
    answer: "REBOOTING",
    handle: rebootToLoader,
  },
  {
    method: "GET",
    path: "/api/apps/list",
    right: "read",
    summary: "The installed apps, in alphabetical order.",
    answer: "APP_LIST",
    handle: listApps,
  },
  {
    method: "GET",
    path: "/api/apps/icon",
    right: "read",
    summary:
      "The icon of an app: a BMP of 32 by 32 pixels over HTTP, and the same in base64 over USB. 404 `icon_not_found` for an app without an icon.",
    parameters: [APP_NAME],
    answer: "ICON",
    handle: showIcon,
  },
  {
    method: "POST",
    path: "/api/apps/start",
    right: "manage",
    summary: "Start an app; returns its new entry.",
    parameters: [APP_NAME],
    answer: "APP_ENTRY",
    handle: startApp,
  },
  {
    method: "POST",
    path: "/api/apps/stop",
    right: "manage",
    summary: "Stop a running app; returns its entry once it has ended.",
    parameters: [APP_NAME],
    answer: "APP_ENTRY",
    handle: stopApp,
  },
  {
    method: "POST",
    path: "/api/apps/front",
    right: "manage",
    summary: "Bring a running app to the front: it alone has the display and the buttons. Returns its entry.",
    parameters: [APP_NAME],
    answer: "APP_ENTRY",
    handle: bringAppToFront,
  },
  {
    method: "POST",
    path: "/api/apps/background",
    right: "background",
    summary: "Choose whether an app runs in the background; returns its entry.",
    parameters: [
      APP_NAME,
      {
        name: "allowed",
        type: "flag",
        isRequired: true,
        summary:
          "`true`: it goes on behind another app and the home screen; `false`: it is suspended there, if the user has opened or left it on the console itself.",
      },
    ],
    answer: "APP_ENTRY",
    handle: allowBackground,
  },
  {
    method: "POST",
    path: "/api/apps/uninstall",
    right: "manage",
    summary: "Stop an app if it runs, and remove it with its data.",
    parameters: [APP_NAME],
    answer: "REMOVED",
    handle: uninstallApp,
  },
  {
    method: "POST",
    path: "/api/apps/install",
    right: "manage",
    summary:
      "Install a signed package, module or AOT file, in one request or in chunks; returns the new entry. 409 `publisher_mismatch` if another publisher's app has that name. A chunk that is not the last is answered 206 with `received_bytes` and `next`.",
    parameters: [
      {
        name: "name",
        type: "text",
        summary:
          "The app's name, for a module without a manifest and for an AOT file. Default: `uploaded_app`. 400 `bad_request` if a manifest has another name.",
      },
      {
        name: "downgrade",
        type: "flag",
        summary:
          "Whether to allow a version older than the installed one: over USB, and over HTTP if the firmware has `CONFIG_SVC_APP_ALLOW_DOWNGRADE`; else 409 `version_older`.",
      },
      ...UPLOAD_PARAMETERS,
    ],
    answer: "APP_ENTRY",
    receive: ({ uploads, appUpload }, call) => uploads.receive(call, appUpload),
  },
  {
    method: "GET",
    path: "/api/ota/status",
    right: "read",
    summary:
      "The state of the firmware update, and the result of the last one. `error` is the code of a rejected upload, or why the old firmware came back: `crash`, `watchdog`, `reboot`, `power_loss`, `timeout`, `damaged` or `replaced`.",
    answer: "OTA_STATUS",
    handle: showOtaStatus,
  },
  {
    method: "POST",
    path: "/api/ota/upload",
    right: "manage",
    summary:
      "Stage a firmware bundle for the next restart, in one request or in chunks; returns the new state. A chunk that is not the last is answered 206 with `received_bytes` and `next`.",
    parameters: [
      {
        name: "reboot",
        type: "flag",
        summary:
          "Whether to restart into the firmware at once. With chunks, in the first or the last of them.",
      },
      ...CHUNK_PARAMETERS,
    ],
    answer: "OTA_STATUS",
    receive: ({ uploads, firmwareUpload }, call) => uploads.receive(call, firmwareUpload),
  },
  {
    method: "POST",
    path: "/api/ota/confirm",
    right: "manage",
    summary:
      "Confirm the running firmware, which is on trial; returns the new state. 409 `nothing_pending` if none is on trial, 403 `signature_invalid` if its key is revoked.",
    answer: "OTA_STATUS",
    handle: confirmFirmware,
  },
  {
    method: "POST",
    path: "/upload",
    right: "manage",
    summary:
      "Stage the firmware bundle in the body, and restart into it. 415 `media_type_unsupported` for anything else.",
    transport: "http",
    answer: "OTA_STATUS",
    receive: ({ uploads, firmwareFlash }, call) =>
      new FlashBody(() => uploads.receiveWhole(call, firmwareFlash)),
  },
  {
    method: "GET",
    path: "/api/screen",
    right: "read",
    summary:
      "The display as it is shown now: a PNG over HTTP, and the same in base64 over USB. Who is no owner sees what the home screen conceals in grey.",
    answer: "SCREEN",
    handle: showScreen,
  },
  {
    method: "GET",
    path: "/api/sound",
    right: "read",
    summary:
      "What the loudspeaker has played: a WAV file over HTTP, and the same in base64 over USB. Its chunk `svc ` has the number of its first sample. 404 `not_found` if the console keeps none.",
    parameters: [
      {
        name: "since",
        type: "integer",
        summary:
          "Number of the first sample wanted: that of the answer before and its samples. Left out, and for one that has not been played yet, everything that is kept: two seconds.",
      },
    ],
    answer: "SOUND",
    handle: showSound,
  },
  {
    method: "POST",
    path: "/api/buttons",
    right: "manage",
    summary: "Hold down these buttons, and no others, until the next call.",
    parameters: [
      {
        name: "pressed",
        type: "integer",
        isRequired: true,
        summary: "Bits, from bit 0: up, down, left, right, A, B, X, Y, start, select.",
      },
    ],
    answer: "PRESSED",
    handle: pressButtons,
  },
  {
    method: "GET",
    path: "/api/logs",
    right: "read",
    summary:
      "Lines of the log buffer, each `<seconds>.<milliseconds> <D|I|W|E> <source>: <message>`. Over USB they come as `log` events instead.",
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
    answer: "LOG_PAGE",
    handle: recentLog,
  },
  {
    method: "POST",
    path: "/api/logs/stream",
    right: "read",
    summary: "Turn the `log` events of this USB port on or off.",
    transport: "usb",
    parameters: [
      { name: "enabled", type: "flag", isRequired: true, summary: "Whether lines come as events." },
    ],
    answer: "STREAMING",
    handle: switchLogStream,
  },
  {
    method: "GET",
    path: "/api/cmd",
    right: "read",
    summary:
      "Run a shell command that only reads; for the owner, any. 403 `needs_post` for one that changes something; 403 `shell_disabled` if the build has no shell over HTTP.",
    parameters: [COMMAND_LINE],
    answer: "SHELL_RESULT",
    handle: runCommand,
  },
  {
    method: "POST",
    path: "/api/cmd",
    right: "read",
    summary:
      "Run a shell command; the body is empty. `error` is the code of what went wrong in it. 403 `shell_disabled` if the build has no shell over HTTP.",
    parameters: [COMMAND_LINE],
    answer: "SHELL_RESULT",
    handle: runCommand,
  },
  {
    method: "GET",
    path: "/api/keys/revocations",
    right: "read",
    summary: "The list of revoked keys in use: its number (0 for none) and how many keys are in it.",
    answer: "REVOCATIONS",
    handle: showRevocations,
  },
  {
    method: "POST",
    path: "/api/keys/revocations",
    right: "manage",
    summary:
      "Send a list of revoked keys, signed by a firmware key, in one request or in chunks. 409 `revocations_older` unless its number is higher than that of the list that counts, or it is the same list; 422 `revocations_invalid` for another shape, a number more than 65536 higher, and for one that would leave no key for firmware; 403 `signature_invalid`. Where the list that counts is damaged, the same list mends it, and one with a higher number over USB alone.",
    parameters: CHUNK_PARAMETERS,
    answer: "REVOCATIONS",
    receive: ({ uploads, revocationsUpload }, call) => uploads.receive(call, revocationsUpload),
  },
  {
    method: "GET",
    path: "/api/keys/owner",
    right: "read",
    summary:
      "The keys for apps that the console's owner has added; `question` is the id of the question about one that waits.",
    answer: "OWNER_KEYS",
    handle: showOwnerKeys,
  },
  {
    method: "POST",
    path: "/api/keys/owner",
    right: "owner_keys",
    summary:
      "Add or remove a key for apps; returns all of them. Over USB now; over HTTP the console asks on its display for two minutes, and the answer has `question`. 503 `busy` while it asks about another, and after a refusal until the two minutes are over; 404 `usb_only` if the build has no home screen; 409 `too_many_keys` for a fifth; 422 `keys_invalid` for what is no key; 404 `key_not_found`.",
    parameters: [
      {
        name: "key",
        type: "text",
        isRequired: true,
        summary:
          "The public key: 64 hexadecimal digits in lower case; to remove it, 16 or more of them from the first on.",
      },
      {
        name: "remove",
        type: "flag",
        summary: "`true`: remove it. Apps that run by this key alone are stopped, and start no more.",
      },
    ],
    answer: "OWNER_KEYS",
    handle: changeOwnerKeys,
  },
  {
    method: "GET",
    path: "/api/settings",
    right: "read",
    summary: "What the user has chosen on the console.",
    answer: "SETTINGS",
    handle: showPreferences,
  },
  {
    method: "POST",
    path: "/api/settings",
    right: "settings",
    summary: "Change what is given; returns all settings.",
    parameters: [
      {
        name: "start_app",
        type: "text",
        summary:
          "Name of the app that starts with the console; empty: none; `*`: the one that was in front last.",
      },
      {
        name: "brightness_percent",
        type: "integer",
        summary: "Brightness of the display, 10 to 100.",
      },
      {
        name: "sleep_after_s",
        type: "integer",
        summary: "Seconds without a button after which the display goes dark; 0: never.",
      },
      {
        name: "updates",
        type: "text",
        summary:
          "`automatic`: what the hub orders is done at once; `ask`: firmware when the user says so; `ask_all`: apps, too. 400 `bad_parameter` for `ask_all` if the build has no home screen.",
      },
      {
        name: "utc_offset",
        type: "text",
        summary: "By which local time is ahead of UTC, such as `+02:00`; from `-12:00` to `+14:00`.",
      },
    ],
    answer: "SETTINGS",
    handle: changePreferences,
  },
  {
    method: "POST",
    path: "/api/factory-reset",
    right: "reset",
    summary: "Restart, and delete apps, their data, networks, the hub and tokens.",
    answer: "RESETTING",
    handle: resetToFactory,
  },
  {
    method: "GET",
    path: "/api/hub",
    right: "read",
    summary:
      "The hub that the console belongs to, and whether it is connected. `claim_code` lets an account claim the console: over USB only, until it is claimed.",
    answer: "HUB_STATUS",
    handle: showHub,
  },
  {
    method: "POST",
    path: "/api/hub",
    right: "manage",
    summary:
      "Set and store the console's hub; returns the new state. Over WiFi this works only while none is set; to change or forget the hub, use the cable or the bearer token, else 401. Setting the same hub retries the connection.",
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
          "The hub has moved: keep the device token and the registration. Needs the cable or the bearer token.",
      },
    ],
    answer: "HUB_STATUS",
    handle: setHub,
  },
  {
    method: "GET",
    path: "/api/hub/questions",
    right: "read",
    summary:
      "What the hub has ordered, or the owner wants of a key (`POST /api/keys/owner`), and the user has not answered. Size and publisher are what the hub says of them.",
    answer: "HUB_QUESTIONS",
    handle: showQuestions,
  },
  {
    method: "POST",
    path: "/api/hub/questions",
    right: "answer",
    summary:
      "Answer for the user; returns what is left to answer. 404 `command_not_found` if nothing with that id waits; 404 `usb_only` to accept a key over HTTP.",
    parameters: [
      { name: "id", type: "text", isRequired: true, summary: "`id` of the question." },
      {
        name: "accept",
        type: "flag",
        isRequired: true,
        summary: "`true`: execute it. `false`: the hub gets the result `declined`.",
      },
    ],
    answer: "HUB_QUESTIONS",
    handle: answerQuestion,
  },
  {
    method: "GET",
    path: "/api/auth/token",
    right: "cable",
    summary: "The bearer token of HTTP and WebSocket, and whether this build asks for it.",
    transport: "usb",
    answer: "ACCESS_TOKEN",
    handle: ({ accessToken, config }) => tokenAnswer(accessToken.value, config),
  },
  {
    method: "POST",
    path: "/api/auth/token",
    right: "cable",
    summary: "Replace the bearer token; the old one stops working.",
    transport: "usb",
    answer: "ACCESS_TOKEN",
    handle: replaceToken,
  },
  {
    method: "GET",
    path: "/api/wifi",
    right: "cable",
    summary:
      "The WiFi network of the console, and the state of the join. `waiting`: it could not be joined or was lost; the console retries.",
    transport: "usb",
    answer: "WIFI_STATUS",
    handle: showWifi,
  },
  {
    method: "GET",
    path: "/api/wifi/scan",
    right: "cable",
    summary:
      "The networks in range, the strongest first, at most 20. Takes some seconds. 409 `wifi_busy` during another scan.",
    transport: "usb",
    answer: "WIFI_NETWORKS",
    handle: scanWifi,
  },
  {
    method: "POST",
    path: "/api/wifi",
    right: "cable",
    summary: "Store a network and begin to join it, or forget the stored one; returns the new state.",
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
        summary: "`true`: leave the network and join none until one is set. Send it alone.",
      },
    ],
    answer: "WIFI_STATUS",
    handle: provisionWifi,
  },
  {
    method: "GET",
    path: "/api/wifi/setup",
    right: "cable",
    summary:
      "The set-up access point, with its password while it is open. 501 `not_implemented` on a console without one.",
    transport: "usb",
    answer: "SETUP_STATUS",
    handle: showSetup,
  },
  {
    method: "POST",
    path: "/api/wifi/setup",
    right: "cable",
    summary:
      "Open or close the set-up access point; returns the new state. 409 `wifi_busy` if the radio cannot be one now.",
    transport: "usb",
    parameters: [{ name: "open", type: "flag", isRequired: true, summary: "Whether it is to be open." }],
    answer: "SETUP_STATUS",
    handle: changeSetup,
  },
] satisfies Endpoint[]);

/** For the console. */
export const ROUTES = routesOf(ENDPOINTS);

/** The names of all parameters, each once. */
export const PARAMETER_NAMES = Object.freeze(parameterNames(ENDPOINTS));
