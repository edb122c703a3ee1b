/**
 * Messages between hub and console over the push channel (docs/spec/hub-push.md): one JSON text per WebSocket message,
 * at most {@link PUSH_LIMIT_BYTES}. `command_id` makes commands idempotent: the hub repeats a command on every
 * connection until its result arrives, and a console that receives it again repeats the result, not the work.
 */
import type { ResetReason } from "../device/answers.js";

/** Longest message in either direction; a longer one closes the channel with 1009 (docs/spec/hub-push.md#messages). */
export const PUSH_LIMIT_BYTES = 64 * 1024;

/**
 * Close code of a connection that a newer one of the same device has replaced (docs/spec/hub-push.md#replaced).
 */
export const REPLACED_CLOSE_CODE = 4000;

/** Interval of a console's status reports, in milliseconds (docs/spec/hub-push.md#device-status). */
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
  /** Optional here and in other commands (docs/spec/hub-push.md#command-id-optional). */
  readonly command_id?: string;
  readonly app_id: string;
  readonly version: string;
  readonly download_url: string;
  /** Allow a version older than the installed one. Set by an operator, never by a publisher. */
  readonly downgrade?: boolean;
  /**
   * Ed25519 signature over `download_url` in UTF-8 by a key with the role `hub`, 128 hexadecimal digits. Without it a
   * console downloads only from its hub's origin (docs/spec/device-hub.md#download-origin).
   */
  readonly download_url_signature?: string;
  /** Length of the file, for the question to the user (docs/spec/device-hub.md#questions). */
  readonly size_bytes?: number;
  /** Name of the publisher, for that question. */
  readonly publisher?: string;
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
  /** As in {@link AppInstall}. */
  readonly download_url_signature?: string;
  /** Signature of the bundle, 128 hexadecimal digits. */
  readonly signature: string;
  /** As in {@link AppInstall}. */
  readonly size_bytes?: number;
  /** As in {@link AppInstall}. */
  readonly publisher?: string;
}

/** Reports whether an account owns the console. Sent on connect and on each change. */
interface DeviceClaimed {
  readonly type: "device.claimed";
  readonly claimed: boolean;
}

/** A list of revoked keys (docs/spec/keys.md). The console verifies and stores it. */
export interface KeysRevoke {
  readonly type: "keys.revoke";
  readonly command_id?: string;
  /** The list's bytes in base64. */
  readonly list: string;
}

/** Orders the console to create a new device token. Repeated until the console connects with the new token. */
interface TokenRotate {
  readonly type: "token.rotate";
  readonly command_id: string;
}

/** The hub now accepts the token of a {@link TokenRotated}; the console deletes the previous token. */
interface TokenAccepted {
  readonly type: "token.accepted";
  readonly command_id: string;
}

export type DeviceMessage =
  | DeviceStatus
  | DeviceStarted
  | AppCrashed
  | DeviceApps
  | CommandResult
  | TokenRotated;

export type CommandResult = AppResult | FirmwareResult | KeysRevokeResult;

export interface DeviceStatus {
  readonly type: "device.status";
  readonly firmware_version: string;
  readonly free_heap_bytes: number;
  readonly running_apps: readonly string[];
  /** dBm; 0 while no network is joined. */
  readonly wifi_rssi: number;
}

/** The console's last start. Sent on connect. */
export interface DeviceStarted {
  readonly type: "device.started";
  /** The same until the next start, 32 bits at random. */
  readonly boot: number;
  readonly reset_reason: ResetReason;
  readonly uptime_s: number;
}

/** An app has ended by a trap or another failure. Sent at once, or on connect for the last one that happened without a hub. */
export interface AppCrashed {
  readonly type: "app.crashed";
  readonly app_id: string;
  readonly version: string;
  /** The line of the log (docs/spec/apps.md#trap). */
  readonly message: string;
}

/** The installed apps, in alphabetical order. Sent on connect and after each change. */
export interface DeviceApps {
  readonly type: "device.apps";
  readonly apps: readonly DeviceApp[];
}

export interface DeviceApp {
  readonly name: string;
  readonly version: string;
  /** Storage that the app takes, in bytes. */
  readonly size: number;
  readonly running: boolean;
}

export interface KeysRevokeResult {
  readonly type: "keys.revoke.result";
  readonly command_id?: string;
  readonly success: boolean;
  readonly error: string | null;
}

/** The answer to a {@link TokenRotate}. The console keeps both tokens until {@link TokenAccepted} arrives. */
export interface TokenRotated {
  readonly type: "token.rotated";
  readonly command_id: string;
  /** The new token. */
  readonly device_token: string;
  /** Binding of the new token to the console's MAC, as in a registration. */
  readonly binding: string;
}

export interface AppResult {
  readonly type: "app.install.result" | "app.uninstall.result";
  /** If absent, the result is for the newest command for that app (docs/spec/hub-push.md#app-result). */
  readonly command_id?: string;
  readonly app_id: string;
  readonly success: boolean;
  /** Code of the error table; null on success. */
  readonly error: string | null;
}

/** Progress of a firmware update. The last three states are final. */
export type FirmwareProgress =
  | "available"
  | "staged"
  | "pending_confirm"
  | "confirmed"
  | "rolled_back"
  | "rejected";

/** Sent on each change of state, and again each time the command is repeated. */
export interface FirmwareResult {
  readonly type: "firmware.update.result";
  readonly command_id?: string;
  readonly version: string;
  readonly state: FirmwareProgress;
  /** null while the update is in progress. */
  readonly success: boolean | null;
  readonly error: string | null;
}

/** Names of all members, for JSON readers that keep only known names (see protocol/json.ts). */
export const PUSH_MEMBERS = Object.freeze([
  "type",
  "command_id",
  "app_id",
  "version",
  "download_url",
  "downgrade",
  "download_url_signature",
  "signature",
  "size_bytes",
  "publisher",
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
  "boot",
  "reset_reason",
  "uptime_s",
  "message",
]);
