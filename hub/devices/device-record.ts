/** Devices and their apps as the API shows them (section 13 of the decisions). */
import Type, { type Static } from "typebox";
import type { Row } from "../database/schema.js";

const TIME = { description: "ISO 8601, UTC" };

export const DEVICE_RECORD = Type.Object({
  device_id: Type.String(),
  name: Type.String(),
  mac: Type.String(),
  arch: Type.String(),
  firmware_version: Type.String(),
  online: Type.Boolean(),
  claimed: Type.Boolean(),
  last_seen_at: Type.Union([Type.String(TIME), Type.Null()]),
  status: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: "The last `device.status`",
  }),
});

export type DeviceRecord = Static<typeof DEVICE_RECORD>;

export function deviceRecord(row: Row<"devices">, isOnline: boolean): DeviceRecord {
  return {
    device_id: row.id,
    name: row.name,
    mac: row.mac,
    arch: row.arch,
    firmware_version: row.firmware_version,
    online: isOnline,
    claimed: row.account_id !== null,
    last_seen_at: row.last_seen_at === null ? null : new Date(row.last_seen_at).toISOString(),
    status: row.status === null ? null : JSON.parse(row.status),
  };
}

export const DEVICE_APP_RECORD = Type.Object({
  app_id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  state: Type.Enum(["requested", "installed", "failed", "removing"]),
  error: Type.Optional(Type.String()),
  updated_at: Type.String(TIME),
});

/** An app's id is its name: it is the name in the manifest. */
export function deviceAppRecord(row: Row<"device_apps">): Static<typeof DEVICE_APP_RECORD> {
  return {
    app_id: row.app_id,
    name: row.app_id,
    version: row.version,
    state: row.state,
    ...(row.error === null ? {} : { error: row.error }),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
