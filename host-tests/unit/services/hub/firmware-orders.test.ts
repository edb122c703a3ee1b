/**
 * The way of firmware that the hub has ordered, as the hub hears of it, over restarts of the console
 * (docs/spec/device-hub.md#firmware-progress).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import type {
  DeviceMessage,
  FirmwareProgress,
  FirmwareUpdate,
} from "../../../../protocol/hub/push-messages.js";
import { bundled, flashedStorage } from "../firmware/emulated-update.js";
import { HUB, HubRun, type HubRunOptions, type SampleHub, sampleHub } from "./emulated-hub.js";

const URL = `${HUB}/api/v1/firmware/0.2.0/download`;
const BUNDLE = bundled();
const ORDER: FirmwareUpdate = {
  type: "firmware.update",
  command_id: "first",
  version: "0.2.0",
  download_url: URL,
  signature: Buffer.from(BUNDLE.subarray(6, 70)).toString("hex"),
};
const AVAILABLE = { version: "0.2.0", download_url: URL };

let hub: SampleHub;
beforeEach(() => {
  hub = sampleHub();
  hub.files.set(URL, { bytes: BUNDLE });
});

const start = (options: HubRunOptions = {}) => new HubRun(flashedStorage(), { hub, ...options }).connect();

function told(state: FirmwareProgress, error: string | null = null): DeviceMessage[] {
  const success = { confirmed: true, rolled_back: false, rejected: false }[state as "confirmed"] ?? null;
  return [{ type: "firmware.update.result", command_id: "first", version: "0.2.0", state, success, error }];
}

describe("Firmware ordered by the hub", () => {
  test("is reported at each repetition, and downloaded once", async () => {
    const run = start();
    for (let times = 0; times < 3; times++) expect(await run.say(ORDER)).toEqual(told("available"));
    run.hub.applyFirmware();
    run.hub.applyFirmware();
    expect(await run.settle()).toEqual(told("staged"));
    expect(await run.say(ORDER)).toEqual(told("staged"));
    expect(hub.asked).toEqual([URL]);
  });

  for (const end of ["crash", "watchdog", "software", "timeout"] as const)
    test(`is rolled back if its trial ends by ${end}, and not tried again`, async () => {
      const run = start({ isAutomatic: true });
      await run.say(ORDER);
      const back = run.again().again(end, { isAutomatic: true });
      const error = end === "software" ? "reboot" : end;
      expect(await back.say(ORDER)).toEqual(told("rolled_back", error));
      expect(await back.again().say(ORDER)).toEqual(told("rolled_back", error));
      expect(hub.asked).toEqual([URL]);
    });

  test("is tried again if ordered again after a rollback", async () => {
    const run = start({ isAutomatic: true });
    await run.say(ORDER);
    const back = run.again().again("crash", { isAutomatic: true });
    await back.say(ORDER);
    const results = await back.say({ ...ORDER, command_id: "second" });
    expect(results.map((result) => "state" in result && result.state)).toEqual(["available", "staged"]);
    expect(await back.say({ ...ORDER, command_id: "second" })).toMatchObject([{ state: "staged" }]);
  });

  test("is confirmed if already running", async () => {
    const run = start({ isAutomatic: true });
    expect(await run.say({ ...ORDER, version: "0.1.0" })).toMatchObject([
      { state: "confirmed", success: true },
    ]);
    expect(run.ota.status()).not.toHaveProperty("available");
    expect(hub.asked).toEqual([]);
  });

  test("counts as staged when it came another way", async () => {
    const run = start();
    await run.say(ORDER);
    await run.upload(BUNDLE);
    expect(await run.settle()).toEqual(told("staged"));
  });

  test("is available again if other firmware replaces the staged one", async () => {
    const run = start({ isAutomatic: true });
    await run.say(ORDER);
    await run.upload(bundled({ version: "0.3.0" }));
    expect(await run.settle()).toEqual(told("available"));
    expect(run.ota.status()).toMatchObject({ staged_version: "0.3.0", available: AVAILABLE });
  });

  test("is available after a restart that came before it was staged", async () => {
    const run = start();
    await run.say(ORDER);
    const again = run.again("power_on");
    expect(again.ota.status()).toMatchObject({ available: AVAILABLE });
    expect(await again.say(ORDER)).toEqual(told("available"));
    again.hub.applyFirmware();
    expect(await again.settle()).toEqual(told("staged"));
  });

  test("is replaced by other firmware that is ordered later", async () => {
    const run = start();
    await run.say(ORDER);
    const newer = { ...ORDER, command_id: "second", version: "0.3.0", download_url: `${HUB}/other` };
    expect(await run.say(newer)).toMatchObject([
      { command_id: "first", success: false, error: "superseded" },
      { command_id: "second", state: "available" },
    ]);
    expect(run.ota.status().available).toEqual({ version: "0.3.0", download_url: `${HUB}/other` });
  });

  test("is reported without an id to a hub that sends none", async () => {
    const { command_id: _, ...order } = ORDER;
    const run = start();
    const [result] = await run.say(order);
    expect(result).toMatchObject({ state: "available" });
    expect(result).not.toHaveProperty("command_id");
    run.hub.applyFirmware();
    await run.settle();
    expect(await run.say(order)).toMatchObject([{ state: "staged" }]);
    expect(hub.asked).toEqual([URL]);
  });
});

describe("Firmware is rejected", () => {
  const REFUSED: readonly {
    name: string;
    order?: Partial<FirmwareUpdate>;
    file?: Uint8Array | Fault;
    error: string;
  }[] = [
    {
      name: "of another version than the pushed one",
      order: { version: "0.4.0" },
      error: "download_mismatch",
    },
    { name: "that is not a bundle", file: new Uint8Array(1000), error: "bundle_magic" },
    { name: "that is truncated", file: BUNDLE.subarray(0, -1), error: "bundle_length" },
    { name: "for another board", file: bundled({ board: "other" }), error: "wrong_board" },
    {
      name: "that the hub does not have",
      file: new Fault("firmware_not_found", "none"),
      error: "firmware_not_found",
    },
  ];
  for (const { name, order = {}, file = BUNDLE, error } of REFUSED)
    test(`${name}, permanently`, async () => {
      hub.files.set(URL, file instanceof Fault ? file : { bytes: file });
      const signature = file instanceof Uint8Array ? Buffer.from(file.subarray(6, 70)).toString("hex") : "00";
      const asked = { ...ORDER, signature, ...order };
      const run = start({ isAutomatic: true });
      expect(await run.say(asked)).toMatchObject([
        { state: "available" },
        { state: "rejected", success: false, error },
      ]);
      expect(run.ota.status()).toMatchObject({ state: "idle" });
      expect(run.ota.status()).not.toHaveProperty("available");
      expect(await run.say(asked)).toMatchObject([{ state: "rejected", error }]);
      expect(await run.again("software", { isAutomatic: true }).say(asked)).toMatchObject([
        { state: "rejected", error },
      ]);
      expect(hub.asked).toEqual([URL]);
    });

  test("if older than the running firmware", async () => {
    const file = bundled({ version: "0.0.9" });
    hub.files.set(URL, { bytes: file });
    const signature = Buffer.from(file.subarray(6, 70)).toString("hex");
    const run = start({ isAutomatic: true });
    expect(await run.say({ ...ORDER, version: "0.0.9", signature })).toMatchObject([
      { state: "available" },
      { state: "rejected", error: "version_downgrade" },
    ]);
  });

  for (const [name, order] of [
    ["version", { version: "new" }],
    ["address", { download_url: `${HUB}/${"x".repeat(3000)}` }],
    ["id", { command_id: "x".repeat(65) }],
    ["signature", { signature: "0".repeat(4000) }],
  ] as const)
    test(`if its ${name} is invalid, and the earlier order stays`, async () => {
      const run = start();
      await run.say(ORDER);
      expect(await run.say({ ...ORDER, command_id: "second", ...order })).toMatchObject([
        { state: "rejected", error: "bad_parameter" },
      ]);
      expect(await run.say(ORDER)).toEqual(told("available"));
    });
});

describe("Firmware is tried again later", () => {
  test("while the hub cannot be reached, and nothing is reported meanwhile", async () => {
    hub.files.delete(URL);
    const run = start({ isAutomatic: true });
    expect(await run.say(ORDER)).toEqual(told("available"));
    for (let times = 0; times < 10; times++) {
      run.clock.advance(300_000);
      expect(await run.settle()).toEqual([]);
    }
    hub.files.set(URL, { bytes: BUNDLE });
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual(told("staged"));
    expect(run.ota.status()).not.toHaveProperty("last_result");
  });

  test("during an upload, which it does not disturb", async () => {
    const run = start({ isAutomatic: true });
    const upload = run.deliver({ transport: "http", body: bundled({ version: "0.3.0" }) });
    expect(await run.say(ORDER)).toEqual(told("available"));
    expect(hub.asked).toEqual([]);
    upload.abort();
    run.clock.advance(300_000);
    expect(await run.settle()).toEqual(told("staged"));
  });

  test("while other firmware is on trial", async () => {
    const run = start();
    await run.upload(bundled({ version: "0.1.5" }));
    const trial = run.again("software", { isAutomatic: true });
    expect(await trial.say(ORDER)).toEqual(told("available"));
    trial.ota.confirm();
    trial.clock.advance(300_000);
    expect(await trial.settle()).toEqual(told("staged"));
  });

  test("a few times if the hub's answers are invalid, and then rejected", async () => {
    hub.files.set(URL, new Fault("hub_refused", "what?"));
    const run = start({ isAutomatic: true });
    const results = await run.say(ORDER);
    for (let times = 0; times < 10; times++) {
      run.clock.advance(300_000);
      results.push(...(await run.settle()));
    }
    expect(results).toEqual([...told("available"), ...told("rejected", "hub_refused")]);
    expect(hub.asked).toHaveLength(5);
  });
});

test("A download blocks uploads while it runs", async () => {
  let open: () => void = () => {};
  hub.gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const run = start({ isAutomatic: true });
  await run.say(ORDER);
  expect(await run.upload(BUNDLE)).toMatchObject({ status: 409, body: { error: "upload_busy" } });
  open();
  expect(await run.settle()).toEqual(told("staged"));
  expect(await run.upload(BUNDLE)).toMatchObject({ status: 200 });
});

test("With another hub, the orders of the old one are dropped, and its download ends", async () => {
  let open: () => void = () => {};
  hub.gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const run = start({ isAutomatic: true });
  await run.say(ORDER);
  const old = run.link;
  run.connect("http://192.0.2.9");
  expect(run.ota.status()).not.toHaveProperty("available");
  open();
  expect(await run.settle()).toEqual([]);
  expect(old.takeResults()).toEqual([]);
  expect(run.ota.status()).toMatchObject({ state: "idle" });
  expect(run.hub.applyFirmware()).toBeUndefined();
  expect(await run.upload(BUNDLE)).toMatchObject({ status: 200 });
});
