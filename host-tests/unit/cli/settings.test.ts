/** `svc settings`, `svc background` and `svc apps` against a console that the test answers for. */
import { describe, expect, test } from "vitest";
import type { Call, Command } from "../../../cli/command.js";
import { apps, background, rowOf } from "../../../cli/commands/apps.js";
import { settings } from "../../../cli/commands/settings.js";
import { Device } from "../../../device-client/device.js";
import type { DeviceRequest, Transport } from "../../../device-client/transport.js";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const SETTINGS = { start_app: "bricks", brightness_percent: 60, sleep_after_s: 0, updates: "ask" };

/** Runs a command on a console that answers everything with `body`. */
async function run(command: Command, body: unknown, call: Partial<Call>) {
  const asked: DeviceRequest[] = [];
  const request = async (each: DeviceRequest) => {
    asked.push(each);
    return { status: 200, body };
  };
  const device = new Device({ request } as unknown as Transport);
  const whole = { values: {}, lists: {}, output: {}, device: async () => device, ...call } as Call;
  const outcome = await command.run(whole);
  return { outcome, asked: asked.map(({ method, path, parameters }) => [method, path, parameters]) };
}

test("svc settings shows the settings as it accepts them", async () => {
  const { outcome, asked } = await run(settings, SETTINGS, {});
  expect(asked).toEqual([["GET", "/api/settings", undefined]]);
  expect(outcome).toEqual({
    text: "start_app=bricks\nbrightness_percent=60\nsleep_after_s=0\nupdates=ask",
    json: SETTINGS,
  });
});

test("svc settings changes what is given in one request, and leaves the check of values to the console", async () => {
  const lists = { "NAME=VALUE": ["start_app=", "updates=a=b"] };
  const { outcome, asked } = await run(settings, SETTINGS, { lists });
  expect(asked).toEqual([["POST", "/api/settings", { start_app: "", updates: "a=b" }]]);
  expect(outcome?.json).toEqual(SETTINGS);
});

describe("svc settings reports wrong usage with status 2:", { timeout: SVC_TIMEOUT_MS }, () => {
  const WRONG = [
    { args: ["brightness=60"], says: 'no setting "brightness"' },
    { args: ["updates"], says: '"updates" has no value' },
    { args: ["updates=ask", "updates=ask_all"], says: '"updates" is given twice' },
    { args: ["=60"], says: 'no setting ""' },
  ];
  for (const { args, says } of WRONG)
    test(`svc settings ${args.join(" ")}`, () => {
      const { status, stdout, stderr } = runSvc("settings", ...args);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(says);
      expect(stderr).toContain("the settings are start_app, brightness_percent");
    });

  test("svc background bricks maybe", () => {
    const { status, stderr } = runSvc("background", "bricks", "maybe");
    expect(status).toBe(2);
    expect(stderr).toContain("Allowed choices are on, off");
  });
});

const ENTRY: AppEntry = {
  name: "bricks",
  version: "1.0.0",
  state: "running",
  engine: "wasm3",
  description: "",
  author: "",
  size_bytes: 100,
  memory_quota: 65536,
  capabilities: [],
  variants: [],
};

for (const { choice, allowed, says } of [
  { choice: "on", allowed: "true", says: "bricks may run in the background" },
  { choice: "off", allowed: "false", says: "bricks runs only in front" },
])
  test(`svc background bricks ${choice}`, async () => {
    const values = { NAME: "bricks", CHOICE: choice };
    const { outcome, asked } = await run(background, ENTRY, { values });
    expect(asked).toEqual([["POST", "/api/apps/background", { name: "bricks", allowed }]]);
    expect(outcome).toEqual({ text: says, json: ENTRY });
  });

test("svc apps shows which app is in front, and which are suspended", async () => {
  const STATES = [
    { fields: {}, shows: "running (wasm3)" },
    { fields: { foreground: true }, shows: "running (wasm3, in front)" },
    { fields: { suspended: true }, shows: "running (wasm3, suspended)" },
  ] as const;
  for (const { fields, shows } of STATES) expect(rowOf({ ...ENTRY, ...fields })[2]).toBe(shows);
  const { outcome } = await run(apps, [{ ...ENTRY, suspended: true }], {});
  expect(outcome?.text).toContain("running (wasm3, suspended)");
});
