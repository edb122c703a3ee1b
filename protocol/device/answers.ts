/**
 * What the console answers over HTTP and USB (docs/spec/management-api.md): the schemas from which its types, those of its
 * clients, and the reference are made. Field names end in their unit. Firmware contains none of this: its modules import
 * types only, and a row of the table of endpoints names its answer.
 */
import { VARIANT_ARCHITECTURES } from "../file-kind.js";
import {
  integer,
  listOf,
  object,
  oneOf,
  onlyTrue,
  optional,
  type Schema,
  type Shaped,
  text,
  truth,
} from "../schema.js";

/** Answers that are no JSON. */
export const PAGE = "<!doctype html>…";
export const SCRIPT = "import…";

/** `GET /api/status`, and `data` of a `status` event: exactly these seven fields (docs/spec/management-api.md#status). */
export const STATUS = object({
  fw_version: text(),
  codename: text(),
  uptime_ms: integer(),
  free_heap_bytes: integer(),
  /** `""` while no network is joined. */
  wifi_ip: text(),
  /** In dBm; 0 while no network is joined, and on a wired connection. */
  wifi_rssi: integer(),
  bt_mode: oneOf(["off", "advertising", "connected"]),
});
export type DeviceStatus = Shaped<typeof STATUS>;

/** Why the console has started (docs/spec/management-api.md#reset-reason). */
export const RESET_REASONS = Object.freeze([
  "power_on",
  "software",
  "watchdog",
  "crash",
  "update",
  "rollback",
] as const);
export type ResetReason = (typeof RESET_REASONS)[number];

const CAPACITY_MEMBERS = { total_bytes: integer(), free_bytes: integer() };
/** Size and free space of a memory or storage. */
const CAPACITY = object(CAPACITY_MEMBERS);
export type Capacity = Shaped<typeof CAPACITY>;

const SLOT = oneOf(["a", "b"]);

/** `GET /api/system`. Optional fields are absent on boards that cannot provide them. */
export const SYSTEM = object({
  name: text(),
  board: text(),
  arch: oneOf(VARIANT_ARCHITECTURES),
  mac: text(),
  cpu: object({
    model: text(),
    cores: integer(),
    frequency_mhz: optional(integer()),
    /** Share of time that the main loop was busy over the last seconds. */
    load_percent: integer(),
  }),
  heap: object({ ...CAPACITY_MEMBERS, minimum_free_bytes: integer() }),
  psram: optional(CAPACITY),
  storage: CAPACITY,
  firmware: object({
    version: text(),
    codename: text(),
    slot: SLOT,
    state: oneOf(["confirmed", "pending_confirm"]),
  }),
  reset_reason: oneOf(RESET_REASONS),
  /** Name of the app in front; absent while none is. */
  foreground: optional(text()),
  /** Present after repeated crashes: apps, drives and the hub stay off until the next restart. */
  safe_mode: optional(onlyTrue()),
  /** TCP port of HTTP, and of the page. */
  http_port: integer(),
  /** TCP port of the log WebSocket. */
  ws_port: integer(),
  /** Whether the home screen sees the buttons of who asks: of the owner alone, unless the build says otherwise. */
  home_buttons: truth(),
  /** Whether a program of the USB host has the port open. */
  usb_connected: truth(),
  /** What the start has found in `apps` of the SD card; absent without a card. */
  card_apps: optional(
    object({
      files: integer(),
      refused: integer(),
      /** There are app files that the scan did not consider. */
      more: optional(onlyTrue()),
    }),
  ),
  limits: object({
    line_bytes: integer(),
    chunk_line_bytes: integer(),
    chunk_bytes: integer(),
    suggested_chunk_bytes: integer(),
    app_bytes: integer(),
    running_apps: integer(),
    script_quota_bytes: integer(),
  }),
  /** For example `shell`, `auth`, `unsigned_apps`. */
  features: listOf(text()),
});
export type SystemInfo = Shaped<typeof SYSTEM>;

/** `POST /api/reboot`, `POST /api/reboot/loader`. */
export const REBOOTING = object({ rebooting: onlyTrue() });
export type Rebooting = Shaped<typeof REBOOTING>;

const LAST_EXIT = object({
  reason: oneOf(["exit", "trap", "stopped", "quota", "host_error"]),
  code: optional(integer()),
  message: optional(text()),
  /** When the app ended, in milliseconds since the boot before it. */
  at_ms: integer(),
});
/** How an app's last run ended. */
export type LastExit = Shaped<typeof LAST_EXIT>;

/** An element of `GET /api/apps/list`, and the response to installing, starting and stopping an app. */
export const APP_ENTRY = object({
  name: text(),
  version: text(),
  state: oneOf(["stopped", "running"]),
  description: text(),
  author: text(),
  /** Storage used by the installed files. */
  size_bytes: integer(),
  memory_quota: integer(),
  capabilities: listOf(text()),
  /** Architectures for which an AOT file is installed. */
  variants: listOf(text()),
  /** Present if the app has an icon. */
  icon: optional(onlyTrue()),
  /** First 16 hexadecimal digits of the publisher's key; absent if the app was installed without one. */
  publisher: optional(text()),
  /** Present while the app runs. */
  engine: optional(oneOf(["wasm3", "aot"])),
  /** Present while the app is in front: it alone has the display and the buttons. */
  foreground: optional(onlyTrue()),
  /** Present while the app runs but gets no time, until it is in front again. */
  suspended: optional(onlyTrue()),
  /** Present if the user lets the app run in the background. */
  background: optional(onlyTrue()),
  last_exit: optional(LAST_EXIT),
});
export type AppEntry = Shaped<typeof APP_ENTRY>;
export const APP_LIST = listOf(APP_ENTRY);

/** `POST /api/apps/uninstall`: the app's name. */
export const REMOVED = object({ removed: text() });
export type Removed = Shaped<typeof REMOVED>;

/** Files over HTTP; over USB, these with the file in base64. */
export const ICON = object({ bmp: text() });
export const SCREEN = object({ png: text() });
export const SOUND = object({ wav: text() });

const AVAILABLE_FIRMWARE = object({ version: text(), download_url: text() });
/** Firmware that the hub has announced and the console has not downloaded yet. */
export type AvailableFirmware = Shaped<typeof AVAILABLE_FIRMWARE>;

const LAST_RESULT = object({
  result: oneOf(["confirmed", "rolled_back", "rejected"]),
  /** Fault code of a rejected upload, or the reason why a trial ended. */
  error: optional(text()),
  /** One sentence for display. */
  message: optional(text()),
  version: optional(text()),
});
/** How the last update ended. */
export type LastResult = Shaped<typeof LAST_RESULT>;

/** `GET /api/ota/status`. */
export const OTA_STATUS = object({
  state: oneOf(["idle", "receiving", "staged", "pending_confirm"]),
  /** Bytes of the bundle being received or staged; 0 otherwise. */
  received_bytes: integer(),
  /** Length of that bundle; 0 while it is not known yet. */
  total_bytes: integer(),
  progress_percent: integer(),
  running_version: text(),
  running_slot: SLOT,
  staged_version: optional(text()),
  confirm_within_ms: optional(integer()),
  available: optional(AVAILABLE_FIRMWARE),
  last_result: optional(LAST_RESULT),
});
export type OtaStatus = Shaped<typeof OTA_STATUS>;

/** `/api/keys/revocations`. A `number` of 0 means that there is no list. */
export const REVOCATIONS = object({ number: integer(), revoked: integer() });
export type RevocationsAnswer = Shaped<typeof REVOCATIONS>;

/** `key`: 64 hexadecimal digits. */
const OWNER_KEY = object({ key: text() });
/** `GET` and `POST /api/keys/owner`. */
export const OWNER_KEYS = object({
  keys: listOf(OWNER_KEY),
  /** Id of the question about a key that waits, in `GET /api/hub/questions`. */
  question: optional(text()),
});
export type OwnerKeysAnswer = Shaped<typeof OWNER_KEYS>;

/** `POST /api/buttons`. */
export const PRESSED = object({ pressed: integer() });
export type Pressed = Shaped<typeof PRESSED>;

/** `GET /api/logs`. */
export const LOG_PAGE = object({ lines: listOf(text()), next: integer(), dropped: integer() });
export type LogPage = Shaped<typeof LOG_PAGE>;

/** `POST /api/logs/stream`. */
export const STREAMING = object({ enabled: truth() });

/** `GET` and `POST /api/cmd`. */
export const SHELL_RESULT = object({
  /** Output of the command; every line ends with LF. */
  output: text(),
  /** Fault code if the command failed. */
  error: optional(text()),
});
export type ShellAnswer = Shaped<typeof SHELL_RESULT>;

const UPDATES = oneOf(["ask", "ask_all", "automatic"]);
/** What the hub's commands need: `ask` a yes of the user for firmware, `ask_all` also for apps, `automatic` none. */
export type Updates = Shaped<typeof UPDATES>;

/** `GET` and `POST /api/settings`. */
export const SETTINGS = object({
  /** The app that starts with the console; `""` none, `"*"` the one that was in front last. */
  start_app: text(),
  /** Of the display: 10 to 100. */
  brightness_percent: integer(),
  /** Seconds without a button after which the display goes dark; 0: never. */
  sleep_after_s: integer(),
  updates: UPDATES,
  /** By which local time is ahead of UTC: `+02:00`, `-03:30`. */
  utc_offset: text(),
});
export type Preferences = Shaped<typeof SETTINGS>;

/** `POST /api/factory-reset`. */
export const RESETTING = object({ resetting: onlyTrue() });
export type FactoryResetAnswer = Shaped<typeof RESETTING>;

/** `GET /api/hub`. */
export const HUB_STATUS = object({
  url: text(),
  connected: truth(),
  device_id: optional(text()),
  /** Over USB only, and only until an account claims the console. */
  claim_code: optional(text()),
});
export type HubStatus = Shaped<typeof HUB_STATUS>;

const HUB_QUESTION = object({
  /** Names the question when it is answered. */
  id: text(),
  /** `add_key` and `remove_key` are not the hub's: the owner asks for them over the network. */
  kind: oneOf(["install", "uninstall", "firmware", "add_key", "remove_key"]),
  /** Of the app, or the digits of the key; absent for firmware. */
  name: optional(text()),
  /** Of the app or firmware to install. */
  version: optional(text()),
  /** Length of the file, as the hub says. */
  size_bytes: optional(integer()),
  /** Name of the publisher, as the hub says. */
  publisher: optional(text()),
});
/** What the hub has ordered, or is asked about a key, and the user has not answered. */
export type HubQuestion = Shaped<typeof HUB_QUESTION>;

/** `GET` and `POST /api/hub/questions`. */
export const HUB_QUESTIONS = object({ questions: listOf(HUB_QUESTION) });
export type HubQuestions = Shaped<typeof HUB_QUESTIONS>;

const WIFI_FAILURE = oneOf(["not_found", "wrong_password", "refused", "lost", "no_address", "timeout"]);
export type WifiFailure = Shaped<typeof WIFI_FAILURE>;
/** Why joining failed or the network was lost; absent once joined. */
const LAST_ERROR = optional(object({ reason: WIFI_FAILURE, message: text() }));

/** `GET /api/wifi`. */
export const WIFI_STATUS = object({
  state: oneOf(["unprovisioned", "joining", "joined", "waiting"]),
  /** The configured network, joined or not. */
  ssid: optional(text()),
  /** `""` while no network is joined or the network has assigned no address. */
  ip: text(),
  /** In dBm; 0 while no network is joined. */
  rssi: integer(),
  last_error: LAST_ERROR,
});
export type WifiStatus = Shaped<typeof WIFI_STATUS>;

const WIFI_NETWORK = object({ ssid: text(), rssi: integer(), channel: integer(), secured: truth() });
export type WifiNetwork = Shaped<typeof WIFI_NETWORK>;
/** `GET /api/wifi/scan`. */
export const WIFI_NETWORKS = object({
  networks: listOf(WIFI_NETWORK),
  /** Weaker ones were found too. */
  more: optional(onlyTrue()),
});
export type WifiNetworks = Shaped<typeof WIFI_NETWORKS>;

const SETUP_END = oneOf(["joined", "closed", "timeout"]);
export type SetupEnd = Shaped<typeof SETUP_END>;

/** `GET /api/wifi/setup`: the set-up access point. Only `state` and `ended` while it is closed. */
export const SETUP_STATUS = object({
  /** `joining`: the console joins a network; `joined`: it has, and the access point closes within a second. */
  state: oneOf(["closed", "open", "joining", "joined"]),
  /** Why it was closed last; absent if it was not open since the start. */
  ended: optional(SETUP_END),
  ssid: optional(text()),
  password: optional(text()),
  clients: optional(integer()),
  client_limit: optional(integer()),
  /** Address of the set-up page. */
  page: optional(text()),
  dns_port: optional(integer()),
  closes_in_ms: optional(integer()),
  /** Why the last network was not joined. */
  last_error: LAST_ERROR,
});
export type SetupStatus = Shaped<typeof SETUP_STATUS>;

/** `GET` and `POST /api/auth/token`. */
export const ACCESS_TOKEN = object({ token: text(), required: truth() });
export type AccessTokenAnswer = Shaped<typeof ACCESS_TOKEN>;

/** Names of the answers, for the table of endpoints. */
export type AnswerName = {
  [Name in keyof Exported]: Exported[Name] extends Schema | string ? Name : never;
}[keyof Exported];
type Exported = typeof import("./answers.js");
