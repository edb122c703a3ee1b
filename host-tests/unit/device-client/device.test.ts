/** The table of endpoints as methods, over a transport with the test's answers. */
import { expect, test } from "vitest";
import { Device } from "../../../device-client/device.js";
import type { DeviceAnswer, DeviceRequest, Transport } from "../../../device-client/transport.js";

/** A console that answers one request after the other, and its requests. */
function consoleWith(...answers: DeviceAnswer[]) {
  const asked: DeviceRequest[] = [];
  const request = async (each: DeviceRequest) => {
    asked.push(each);
    return answers[asked.length - 1] ?? { status: 500, body: { error: "internal_error", message: "" } };
  };
  return { device: new Device({ request } as unknown as Transport), asked };
}

const refusal = (status: number, error: string) => ({ status, body: { error, message: "Not so" } });
const PRINTED = { status: 200, body: { output: "heap" } };

test("A command is sent once, whatever the answer", async () => {
  const refusals = [
    refusal(401, "unauthorized"),
    refusal(404, "not_found"),
    refusal(405, "method_not_allowed"),
  ];
  const { device, asked } = consoleWith(PRINTED, ...refusals);
  expect(await device.shell("free")).toEqual(PRINTED.body);
  for (const { status, body } of refusals)
    await expect(device.shell("free")).rejects.toMatchObject({ code: body.error, status });
  expect(new Set(asked.map(({ method, path }) => `${method} ${path}`))).toEqual(new Set(["POST /api/cmd"]));
  expect(asked).toHaveLength(4);
});

const SETTINGS = { start_app: "", brightness_percent: 60, sleep_after_s: 0, updates: "ask" } as const;
const APP = { name: "bricks", background: true };
const CALLS: readonly {
  readonly what: string;
  readonly call: (device: Device) => Promise<unknown>;
  readonly sends: readonly unknown[];
  readonly body: unknown;
}[] = [
  {
    what: "reads the settings",
    call: (device) => device.settings(),
    sends: ["GET", "/api/settings", undefined],
    body: SETTINGS,
  },
  {
    what: "changes the settings that are given, and no others",
    call: (device) => device.changeSettings({ brightness_percent: 60, start_app: "" }),
    sends: ["POST", "/api/settings", { brightness_percent: "60", start_app: "" }],
    body: SETTINGS,
  },
  {
    what: "lets an app run in the background",
    call: (device) => device.background("bricks", true),
    sends: ["POST", "/api/apps/background", { name: "bricks", allowed: "true" }],
    body: APP,
  },
  {
    what: "has an app run in front only",
    call: (device) => device.background("bricks", false),
    sends: ["POST", "/api/apps/background", { name: "bricks", allowed: "false" }],
    body: APP,
  },
  {
    what: "brings an app to the front",
    call: (device) => device.front("bricks"),
    sends: ["POST", "/api/apps/front", { name: "bricks" }],
    body: APP,
  },
  {
    what: "declines a question of the hub",
    call: (device) => device.answerHub("install-one", false),
    sends: ["POST", "/api/hub/questions", { id: "install-one", accept: "false" }],
    body: { questions: [] },
  },
  {
    what: "resets a console to its factory settings",
    call: (device) => device.factoryReset(),
    sends: ["POST", "/api/factory-reset", undefined],
    body: { resetting: true },
  },
];
for (const { what, call, sends, body } of CALLS)
  test(`A device ${what}`, async () => {
    const { device, asked } = consoleWith({ status: 200, body }, refusal(401, "unauthorized"));
    expect(await call(device)).toEqual(body);
    expect(asked.map(({ method, path, parameters }) => [method, path, parameters])).toEqual([sends]);
    await expect(call(device)).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  });
