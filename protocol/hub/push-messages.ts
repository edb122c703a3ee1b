/**
 * What hub and console say to each other over the push channel (docs/spec/hub-push.md): JSON texts, one a WebSocket
 * message, at most {@link PUSH_LIMIT_BYTES}. `command_id` is ours: a command is repeated on every connection until
 * its result has come, and a console that gets it twice does it once and says the same again.
 */

/** Longest message in either direction; a longer one closes the channel with 1009 (docs/spec/hub-push.md#messages). */
export const PUSH_LIMIT_BYTES = 64 * 1024;

/**
 * Close code of a connection in whose place a newer one of the same device has come (docs/spec/hub-push.md#replaced).
 */
export const REPLACED_CLOSE_CODE = 4000;

/** How often a console reports its status, in milliseconds (docs/spec/hub-push.md#device-status). */
export const STATUS_INTERVAL_MS = 60_000;

export type HubMessage =
  | AppInstall
  | AppUninstall
  | FirmwareUpdate
  | DeviceClaimed
  | KeysRevoke
  | TokenRotate
  | TokenAccepted;

export interface AppInstall {
  readonly type: "app.install";
  /** A hub may leave it out (docs/spec/hub-push.md#command-id-optional), as in the two that follow. */
  readonly command_id?: string;
  readonly app_id: string;
  readonly version: string;
  readonly download_url: string;
  /** The version may be older than the installed one: an operator allows that, not a publisher. */
  readonly downgrade?: boolean;
  /**
   * Ed25519 signature of a key with the role `hub` over the address in UTF-8, 128 hexadecimal digits: without one a
   * console downloads from its hub's origin alone (docs/spec/device-hub.md#download-origin).
   */
  readonly download_url_signature?: string;
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
  /** As that of {@link AppInstall}. */
  readonly download_url_signature?: string;
  /** The bundle's own, 128 hexadecimal digits. */
  readonly signature: string;
}

/** Sent on connect and at each change: whether an account holds the console. */
export interface DeviceClaimed {
  readonly type: "device.claimed";
  readonly claimed: boolean;
}

/** A list of revoked keys (docs/spec/keys.md), for the console to check and keep. */
export interface KeysRevoke {
  readonly type: "keys.revoke";
  readonly command_id?: string;
  /** The list's bytes in base64. */
  readonly list: string;
}

/** The console shall make a new device token; it is repeated until the console has connected with it. */
export interface TokenRotate {
  readonly type: "token.rotate";
  readonly command_id: string;
}

/** The hub takes the token of a {@link TokenRotated} from now on, and the console forgets the one before. */
export interface TokenAccepted {
  readonly type: "token.accepted";
  readonly command_id: string;
}

export type DeviceMessage =
  | DeviceStatus
  | DeviceApps
  | AppResult
  | FirmwareResult
  | KeysRevokeResult
  | TokenRotated;

export interface DeviceStatus {
  readonly type: "device.status";
  readonly firmware_version: string;
  readonly free_heap_bytes: number;
  readonly running_apps: readonly string[];
  /** dBm; 0 while no network is joined. */
  readonly wifi_rssi: number;
}

/** What is installed, in alphabetical order. Sent on connect and after each change. */
export interface DeviceApps {
  readonly type: "device.apps";
  readonly apps: readonly DeviceApp[];
}

export interface DeviceApp {
  readonly name: string;
  readonly version: string;
  /** Bytes on the medium. */
  readonly size: number;
  readonly running: boolean;
}

export interface KeysRevokeResult {
  readonly type: "keys.revoke.result";
  readonly command_id?: string;
  readonly success: boolean;
  readonly error: string | null;
}

/** The answer to a {@link TokenRotate}; the console keeps both tokens until {@link TokenAccepted} comes. */
export interface TokenRotated {
  readonly type: "token.rotated";
  readonly command_id: string;
  /** The new one. */
  readonly device_token: string;
  /** Of the new one to the console's MAC, as in a registration. */
  readonly binding: string;
}

export interface AppResult {
  readonly type: "app.install.result" | "app.uninstall.result";
  /** A console may leave it out (docs/spec/hub-push.md#app-result): it is then the newest command for that app. */
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
  "downgrade",
  "download_url_signature",
  "signature",
  "claimed",
  "firmware_version",
  "free_heap_bytes",
  "running_apps",
  "wifi_rssi",
  "success",
  "error",
  "state",
  "list",
  "apps",
  "name",
  "size",
  "running",
  "device_token",
  "binding",
]);
