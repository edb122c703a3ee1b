/**
 * What hub and console say to each other over the push channel (document 2, Events): JSON texts, one a WebSocket
 * message, at most {@link PUSH_LIMIT_BYTES}. `command_id` is ours: a command is repeated on every connection until
 * its result has come, and a console that gets it twice does it once and says the same again.
 */

/** Longest message in either direction; a longer one closes the channel with 1009 (section 13 of the decisions). */
export const PUSH_LIMIT_BYTES = 64 * 1024;

/** Close code of a connection in whose place a newer one of the same device has come. */
export const REPLACED_CLOSE_CODE = 4000;

/** How often a console tells its status, in milliseconds. */
export const STATUS_INTERVAL_MS = 60_000;

export type HubMessage = AppInstall | AppUninstall | FirmwareUpdate | DeviceClaimed;

export interface AppInstall {
  readonly type: "app.install";
  /** Left out by hubs that know document 2 alone, as in the two that follow. */
  readonly command_id?: string;
  readonly app_id: string;
  readonly version: string;
  readonly download_url: string;
}

export interface AppUninstall {
  readonly type: "app.uninstall";
  readonly command_id?: string;
  readonly app_id: string;
}

export interface FirmwareUpdate {
  readonly type: "firmware.update";
  readonly command_id?: string;
  readonly version: string;
  readonly download_url: string;
  /** The bundle's own, 128 hexadecimal digits. */
  readonly signature: string;
}

/** Sent on connect and at each change: whether an account holds the console. */
export interface DeviceClaimed {
  readonly type: "device.claimed";
  readonly claimed: boolean;
}

export type DeviceMessage = DeviceStatus | AppResult | FirmwareResult;

export interface DeviceStatus {
  readonly type: "device.status";
  readonly firmware_version: string;
  readonly free_heap_bytes: number;
  readonly running_apps: readonly string[];
  /** dBm; 0 while no network is joined. */
  readonly wifi_rssi: number;
}

export interface AppResult {
  readonly type: "app.install.result" | "app.uninstall.result";
  /** Left out by consoles that know document 2 alone: it is then the newest command for that app. */
  readonly command_id?: string;
  readonly app_id: string;
  readonly success: boolean;
  /** Code of the table of errors; null when successful. */
  readonly error: string | null;
}

/** How far a firmware update has come. The last three end it. */
export type FirmwareProgress =
  | "available"
  | "staged"
  | "pending_confirm"
  | "confirmed"
  | "rolled_back"
  | "rejected";

/** Told at each change, and again for each repetition of the command. */
export interface FirmwareResult {
  readonly type: "firmware.update.result";
  readonly command_id?: string;
  readonly version: string;
  readonly state: FirmwareProgress;
  /** null while it is under way. */
  readonly success: boolean | null;
  readonly error: string | null;
}

/** Every name of a member, for readers that must know them beforehand (see protocol/json.ts). */
export const PUSH_MEMBERS = Object.freeze([
  "type",
  "command_id",
  "app_id",
  "version",
  "download_url",
  "signature",
  "claimed",
  "firmware_version",
  "free_heap_bytes",
  "running_apps",
  "wifi_rssi",
  "success",
  "error",
  "state",
]);
