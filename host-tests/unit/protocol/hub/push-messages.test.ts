/** Readers on XS keep the members that PUSH_MEMBERS names, and no others: a name too few loses a member silently. */
import { expect, test } from "vitest";
import {
  type DeviceMessage,
  type HubMessage,
  PUSH_LIMIT_BYTES,
  PUSH_MEMBERS,
} from "../../../../protocol/hub/push-messages.js";

const signature = "ab".repeat(64);
const facts = { size_bytes: 1, publisher: "Example" };
const at = {
  command_id: "1",
  download_url: "/api/v1/apps/tetris",
  download_url_signature: signature,
  ...facts,
};

/** One of each type with every member that it may have. */
const MESSAGES: {
  readonly [Type in (HubMessage | DeviceMessage)["type"]]: Required<
    Extract<HubMessage | DeviceMessage, { readonly type: Type }>
  >;
} = {
  "app.install": { type: "app.install", ...at, app_id: "tetris", version: "1.0.0", downgrade: true },
  "app.uninstall": { type: "app.uninstall", command_id: "1", app_id: "tetris" },
  "firmware.update": { type: "firmware.update", ...at, version: "0.2.0", signature },
  "device.claimed": { type: "device.claimed", claimed: true },
  "keys.revoke": { type: "keys.revoke", command_id: "1", list: "" },
  "token.rotate": { type: "token.rotate", command_id: "1" },
  "token.accepted": { type: "token.accepted", command_id: "1" },
  "device.status": {
    type: "device.status",
    firmware_version: "0.1.0",
    free_heap_bytes: 1,
    running_apps: ["tetris"],
    wifi_rssi: -50,
  },
  "device.started": { type: "device.started", boot: 1, reset_reason: "crash", uptime_s: 12 },
  "app.crashed": {
    type: "app.crashed",
    app_id: "tetris",
    version: "1.0.0",
    message: '"tetris" ended: trap: unreachable in drop < main',
  },
  "device.apps": {
    type: "device.apps",
    apps: [{ name: "tetris", version: "1.0.0", size: 1, running: true }],
  },
  "keys.revoke.result": { type: "keys.revoke.result", command_id: "1", success: true, error: null },
  "token.rotated": { type: "token.rotated", command_id: "1", device_token: "", binding: "" },
  "app.install.result": {
    type: "app.install.result",
    command_id: "1",
    app_id: "tetris",
    success: true,
    error: null,
  } as Required<Extract<DeviceMessage, { readonly type: "app.install.result" }>>,
  "app.uninstall.result": {
    type: "app.uninstall.result",
    command_id: "1",
    app_id: "tetris",
    success: true,
    error: null,
  } as Required<Extract<DeviceMessage, { readonly type: "app.uninstall.result" }>>,
  "firmware.update.result": {
    type: "firmware.update.result",
    command_id: "1",
    version: "0.2.0",
    state: "confirmed",
    success: true,
    error: null,
  },
};

/** The names of all members, at any depth. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)]);
}

test("PUSH_MEMBERS has the name of every member of every message, and no other", () => {
  const names = new Set(Object.values(MESSAGES).flatMap(namesIn));
  expect([...PUSH_MEMBERS].sort()).toEqual([...names].sort());
});

test("a message has at most 65,536 bytes", () => expect(PUSH_LIMIT_BYTES).toBe(65_536));
