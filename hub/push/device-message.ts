/**
 * Parses the messages of devices, strictly except for their error texts, which are truncated and cleaned: what goes
 * into the database is bounded and of the right type.
 */
import { RESET_REASONS, type ResetReason } from "../../protocol/device/answers.js";
import { Fault } from "../../protocol/fault.js";
import {
  type AppCrashed,
  type AppResult,
  type DeviceApp,
  type DeviceStarted,
  type FirmwareProgress,
  type FirmwareResult,
  type KeysRevokeResult,
  PUSH_LIMIT_BYTES,
  type TokenRotated,
} from "../../protocol/hub/push-messages.js";
import { type Json, JsonReader } from "../../protocol/json.js";
import { isAppName } from "../../protocol/manifest/app-name.js";
import { parseVersion } from "../../protocol/version.js";

/**
 * A `device.status` as the hub stores it, without the values that a board does not know
 * (docs/spec/conventions.md#unknown-values).
 */
export interface StatusFields {
  readonly firmware_version: string;
  readonly free_heap_bytes?: number;
  readonly running_apps?: readonly string[];
  readonly wifi_rssi?: number;
}

/** A `device.started`, as the hub reads it. */
export type StartFields = Omit<DeviceStarted, "type">;

/** An app of `device.apps`, as the hub stores it. */
export type InstalledApp = DeviceApp;

export type ParsedMessage =
  | { readonly kind: "started"; readonly started: StartFields }
  | { readonly kind: "crashed"; readonly crashed: Omit<AppCrashed, "type"> }
  | { readonly kind: "apps"; readonly apps: readonly InstalledApp[] }
  | { readonly kind: "rotated"; readonly rotated: Omit<TokenRotated, "type"> }
  | { readonly kind: "revoked"; readonly result: Omit<KeysRevokeResult, "type"> }
  | { readonly kind: "status"; readonly status: StatusFields }
  | { readonly kind: "result"; readonly result: AppResult | FirmwareResult };

type Members = Readonly<Record<string, Json | undefined>>;

/** No board runs more apps. */
const RUNNING_APPS_LIMIT = 64;
/** No console has more apps installed (docs/spec/apps.md#installed-limit). */
const INSTALLED_APPS_LIMIT = 64;
/** Limit for a token and its binding before validation. */
const TOKEN_LENGTH = 64;
/** Limit of an error text in UTF-16 code units; the codes in the table of errors have at most a quarter of it. */
const ERROR_LENGTH = 128;
/** Limit of a crash's line in UTF-16 code units: a line of a console's log has at most 512 bytes. */
const CRASH_LENGTH = 512;
/** dBm: beyond the range of any radio. */
const RSSI_LIMIT = 200;
const COMMAND_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/**
 * Control characters and lone surrogates: PostgreSQL rejects NUL and lone surrogates; line breaks would forge log
 * lines.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]+/gu;
const HALF_AT_END = /\p{Cs}$/u;
const PROGRESS: readonly FirmwareProgress[] = Object.freeze([
  "available",
  "staged",
  "pending_confirm",
  "confirmed",
  "rolled_back",
  "rejected",
]);

/** No separate limit for values: an error may be any JSON value, see {@link errorOf}. */
const READER = new JsonReader({ byteLength: PUSH_LIMIT_BYTES, values: PUSH_LIMIT_BYTES });

/**
 * @returns `undefined` for a type of message that this hub does not know: a newer console sends more types
 * @throws {Fault} `bad_encoding`, `bad_json`, `bad_parameter`
 */
export function readDeviceMessage(bytes: Uint8Array): ParsedMessage | undefined {
  const message = READER.read(bytes);
  if (typeof message !== "object" || message === null || Array.isArray(message))
    throw new Fault("bad_json", "A message must be an object");
  const members = message as Members;
  const type = members["type"];
  switch (type) {
    case "device.status":
      return { kind: "status", status: statusOf(members) };
    case "device.started":
      return { kind: "started", started: startedOf(members) };
    case "app.crashed":
      return { kind: "crashed", crashed: crashedOf(members) };
    case "device.apps":
      return { kind: "apps", apps: appsOf(members) };
    case "token.rotated":
      return { kind: "rotated", rotated: rotatedOf(members) };
    case "keys.revoke.result":
      return { kind: "revoked", result: revokedOf(members) };
    case "app.install.result":
    case "app.uninstall.result":
      return { kind: "result", result: appResultOf(type, members) };
    case "firmware.update.result":
      return { kind: "result", result: firmwareResultOf(members) };
    default:
      requireThat("type", typeof type === "string");
      return undefined;
  }
}

function statusOf({ firmware_version, free_heap_bytes, running_apps, wifi_rssi }: Members): StatusFields {
  requireThat("firmware_version", isVersion(firmware_version));
  requireThat("free_heap_bytes", free_heap_bytes === undefined || isCount(free_heap_bytes));
  requireThat("running_apps", running_apps === undefined || areApps(running_apps));
  requireThat("wifi_rssi", wifi_rssi === undefined || isStrength(wifi_rssi));
  return {
    firmware_version,
    ...(free_heap_bytes === undefined ? {} : { free_heap_bytes }),
    ...(running_apps === undefined ? {} : { running_apps }),
    ...(wifi_rssi === undefined ? {} : { wifi_rssi }),
  };
}

function startedOf({ boot, reset_reason, uptime_s }: Members): StartFields {
  requireThat("boot", boot !== undefined && isCount(boot) && boot < 2 ** 32);
  requireThat("reset_reason", isResetReason(reset_reason));
  requireThat("uptime_s", uptime_s !== undefined && isCount(uptime_s));
  return { boot, reset_reason, uptime_s };
}

function crashedOf({ app_id, version, message }: Members): Omit<AppCrashed, "type"> {
  requireThat("app_id", typeof app_id === "string" && isAppName(app_id));
  requireThat("version", isVersion(version));
  requireThat("message", typeof message === "string");
  const line = printable(message, CRASH_LENGTH + 1);
  return {
    app_id,
    version,
    message: line.length > CRASH_LENGTH ? `${line.slice(0, CRASH_LENGTH - 1)}…` : line,
  };
}

function appsOf({ apps }: Members): readonly InstalledApp[] {
  requireThat("apps", Array.isArray(apps) && apps.length <= INSTALLED_APPS_LIMIT);
  const read = (apps as readonly Json[]).map(appOf);
  requireThat("apps", new Set(read.map(({ name }) => name)).size === read.length);
  return read;
}

function appOf(app: Json): InstalledApp {
  requireThat("apps", typeof app === "object" && app !== null && !Array.isArray(app));
  const { name, version, size, running } = app as Members;
  requireThat("name", typeof name === "string" && isAppName(name));
  requireThat("version", isVersion(version));
  requireThat("size", size !== undefined && isCount(size));
  requireThat("running", typeof running === "boolean");
  return { name, version, size: size as number, running };
}

function rotatedOf({ command_id, device_token, binding }: Members): Omit<TokenRotated, "type"> {
  requireThat("command_id", command_id !== undefined && isCommandId(command_id));
  requireThat("device_token", typeof device_token === "string" && device_token.length <= TOKEN_LENGTH);
  requireThat("binding", typeof binding === "string" && binding.length <= TOKEN_LENGTH);
  return { command_id, device_token, binding };
}

function revokedOf({ command_id, success, error = null }: Members): Omit<KeysRevokeResult, "type"> {
  requireThat("command_id", command_id === undefined || isCommandId(command_id));
  requireThat("success", typeof success === "boolean");
  return { ...(command_id === undefined ? {} : { command_id }), success, error: errorOf(error) };
}

/** One of thousands that may arrive at once: a literal takes a tenth of the time of one with parts that are spread [measured]. */
function appResultOf(
  type: AppResult["type"],
  { command_id, app_id, success, error = null }: Members,
): AppResult {
  requireThat("command_id", command_id === undefined || isCommandId(command_id));
  requireThat("app_id", typeof app_id === "string" && isAppName(app_id));
  requireThat("success", typeof success === "boolean");
  if (command_id === undefined) return { type, app_id, success, error: errorOf(error) };
  return { type, command_id, app_id, success, error: errorOf(error) };
}

function firmwareResultOf(members: Members): FirmwareResult {
  const { command_id, version, state, success = null, error = null } = members;
  requireThat("command_id", command_id === undefined || isCommandId(command_id));
  requireThat("version", isVersion(version));
  requireThat("state", isProgress(state));
  requireThat("success", success === null || typeof success === "boolean");
  const named = command_id === undefined ? {} : { command_id };
  return { type: "firmware.update.result", version, state, success, error: errorOf(error), ...named };
}

function requireThat(name: string, holds: boolean): asserts holds {
  if (!holds) throw new Fault("bad_parameter", `"${name}" is missing or invalid`);
}

function isVersion(value: Json | undefined): value is string {
  return typeof value === "string" && parseVersion(value) !== undefined;
}

function isCommandId(value: Json): value is string {
  return typeof value === "string" && COMMAND_ID.test(value);
}

/** Accepts any error: a failure counts whatever its error text. Cleans and truncates the text. */
function errorOf(value: Json): string | null {
  if (value === null) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return printable(text, ERROR_LENGTH) || null;
}

/** @returns at most `length` UTF-16 code units of it */
function printable(text: string, length: number): string {
  return text.replace(UNPRINTABLE, " ").trim().slice(0, length).replace(HALF_AT_END, "");
}

function isProgress(value: Json | undefined): value is FirmwareProgress {
  return (PROGRESS as readonly unknown[]).includes(value);
}

function isResetReason(value: Json | undefined): value is ResetReason {
  return (RESET_REASONS as readonly unknown[]).includes(value);
}

function isCount(value: Json): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isStrength(value: Json): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= RSSI_LIMIT;
}

function areApps(value: Json): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= RUNNING_APPS_LIMIT &&
    value.every((name) => typeof name === "string" && isAppName(name))
  );
}
