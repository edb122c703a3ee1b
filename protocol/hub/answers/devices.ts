/** What the hub answers about consoles, their apps and their commands (docs/spec/hub-api.md#device). */
import {
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  type Shaped,
  text,
  time,
  truth,
} from "../../schema.js";
import { longPagedList } from "./paged-list.js";

export const DEVICE_RECORD = object(
  {
    device_id: text(),
    name: text(),
    mac: text(),
    arch: text(),
    firmware_version: text(),
    online: truth(),
    claimed: truth(),
    last_seen_at: orNull(text("ISO 8601, UTC")),
    status: orNull(mapOf(undefined), "The last `device.status`"),
    tags: optional(listOf(text(), "For the account that holds the device")),
  },
  { title: "Device" },
);
export type DeviceRecord = Shaped<typeof DEVICE_RECORD>;

export const DEVICE_LIST = longPagedList({ devices: listOf(DEVICE_RECORD) });

const DEVICE_APP_RECORD = object(
  {
    app_id: text(),
    name: text(),
    version: text("The installed version; the version of the command while `requested` or `failed`"),
    state: oneOf(["requested", "installed", "failed", "removing"]),
    running: optional(truth("Absent if the device has not reported it")),
    error: optional(text("Error code of the last command, if it failed")),
    updated_at: time(),
  },
  { title: "DeviceApp" },
);
export type DeviceAppRecord = Shaped<typeof DEVICE_APP_RECORD>;

export const DEVICE_APPS = object({ apps: listOf(DEVICE_APP_RECORD) });

const DELIVERY_STATE = oneOf(
  ["sent", "queued"],
  "`sent` if the device is connected and is being notified, else `queued`",
);
/** A command that was given. */
export const QUEUED = object({ command_id: text(), state: DELIVERY_STATE });

export const ROTATING = object({ state: DELIVERY_STATE });

const KIND = oneOf(["install", "uninstall", "firmware"]);

export const COMMAND_RECORD = object(
  {
    command_id: text(),
    state: oneOf(
      ["queued", "sent", "done", "failed", "replaced", "cancelled"],
      "`sent` while the device is connected and its result is pending, `queued` while it is not connected; the others are final",
    ),
    kind: KIND,
    app_id: optional(text()),
    version: optional(text()),
    progress: optional(text("Progress of a firmware update")),
    error: optional(text("Error code, as the device reported it")),
    created_at: time(),
    updated_at: time(),
    expires_at: optional(time("When the command is cancelled (`command_expired`) if it is still pending")),
  },
  { title: "Command" },
);
export type CommandRecord = Shaped<typeof COMMAND_RECORD>;
