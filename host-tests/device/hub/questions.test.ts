/** What the hub orders and the user of a console decides (docs/spec/device-hub.md#questions). */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { HIGHLIGHT } from "../../../device/home/app/palette.js";
import type { AppInstall, FirmwareUpdate } from "../../../protocol/hub/push-messages.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { hexOf } from "../../hosts/colours.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { readPng } from "../../hosts/read-png.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { overUsb } from "../../hosts/usb-client.js";
import { svc } from "../cli/svc-process.js";

const BITS = { up: 1, down: 2, a: 16, select: 512 } as const;
/** What it is on. */
const CURSOR = hexOf(HIGHLIGHT);
/** Rows of pixels of a card's answers. */
const LATER_ROW = 210;
const INSTALL_ROW = 236;

const publisher = new Publisher();
let module: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});

let hub: SmallHub;
let state: string;
let console: Console;
beforeEach(async () => {
  hub = await SmallHub.start();
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  publisher.becomeTrusted(state);
});
afterEach(async () => {
  await console.stop();
  await hub.close();
  rmSync(state, { recursive: true, force: true });
});

async function start(...flags: string[]): Promise<void> {
  const from = hub.received.length;
  console = await startConsole({ state, flags: ["--hub", hub.url, ...flags] });
  await hub.receive("device.status", () => true, from);
}

/** Over the cable, whose holder owns the console. */
const byCable = (method: string, at: string, params: Record<string, string> = {}) =>
  overUsb(console, (usb) => usb.request(method, at, params));

async function questions() {
  return (await getJson(`${console.http}/api/hub/questions`)).questions;
}

function app(command_id: string, version = "1.0.0"): AppInstall {
  const bytes = packageOf(module, { version });
  const download_url = hub.serve(`/tetris-${version}`, { bytes, signature: publisher.sign(bytes) });
  const facts = { size_bytes: bytes.length, publisher: "Example" };
  return { type: "app.install", command_id, app_id: "tetris", version, download_url, ...facts };
}

async function firmware(): Promise<FirmwareUpdate> {
  const bytes = await firmwareBundle({ version: "0.2.0" }, publisher);
  return {
    type: "firmware.update",
    command_id: "f",
    version: "0.2.0",
    download_url: hub.serve("/firmware", { bytes }),
    signature: Buffer.from(bytes.subarray(6, 70)).toString("hex"),
  };
}

const resultOf = (command_id: string, from = 0) =>
  hub.receive("app.install.result", (result) => result.command_id === command_id, from);

async function screen() {
  const answer = await fetch(`${console.http}/api/screen`);
  return readPng(Buffer.from(await answer.arrayBuffer()));
}

/** Whether the cursor is on a row of pixels. */
async function isOn(row: number): Promise<boolean> {
  const { rgb, width } = await screen();
  return rgb.subarray(3 * (row * width + 20), 3 * (row * width + 21)).toString("hex") === CURSOR;
}

const hold = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** A card takes no press but B for half a second (device/home/app/main.ts), which nothing shows. */
const QUIET_MS = 1000;

/** Moves the cursor to the second answer of a card that has just come. */
async function chooseInstall(): Promise<void> {
  await setTimeout(QUIET_MS);
  await hold(BITS.down);
  await hold(0); // the press counts, and does not repeat, however busy the machine is
  await expect.poll(() => isOn(INSTALL_ROW)).toBe(true);
}

test("An app that the hub pushes is on a card of the home screen, and Install is the command's result", async () => {
  await start("--config", "CONFIG_SVC_HOME_REMOTE=on");
  expect(await byCable("POST", "/api/settings", { updates: "ask_all" })).toMatchObject({ status: 200 });
  hub.send(app("one"));
  await expect.poll(() => isOn(LATER_ROW)).toBe(true);
  expect(hub.downloads).toEqual([]);
  await chooseInstall();
  await hold(BITS.a);
  expect(await resultOf("one")).toMatchObject({ success: true, error: null });
  await hold(0);
  expect(await questions()).toEqual([]);
});

test("An app that waits is answered by the owner only, and a refusal is kept over restarts", async () => {
  await start();
  await byCable("POST", "/api/settings", { updates: "ask_all" });
  hub.send(app("one"));
  await expect
    .poll(questions)
    .toMatchObject([
      { id: "install-one", kind: "install", name: "tetris", version: "1.0.0", publisher: "Example" },
    ]);
  const answer = `${console.http}/api/hub/questions?id=install-one&accept=true`;
  expect(await askHttp(answer, { method: "POST" })).toMatchObject({
    status: 401,
    body: { error: "unauthorized" },
  });

  hub.hangUp();
  const from = hub.received.length;
  await hub.receive("device.status", () => true, from);
  hub.send(app("one"));
  hub.send(app("two", "2.0.0"));
  expect(await resultOf("one")).toMatchObject({ success: false, error: "superseded" });
  expect(await byCable("POST", "/api/hub/questions", { id: "install-one", accept: "false" })).toMatchObject({
    status: 404,
    body: { error: "command_not_found" },
  });
  expect(await byCable("POST", "/api/hub/questions", { id: "install-two", accept: "false" })).toMatchObject({
    status: 200,
    body: { questions: [] },
  });
  expect(await resultOf("two")).toMatchObject({ success: false, error: "declined" });

  await console.kill();
  await start();
  const after = hub.received.length;
  hub.send(app("two", "2.0.0"));
  expect(await resultOf("two", after)).toMatchObject({ error: "declined" });
  expect(await questions()).toEqual([]);
  expect(hub.downloads).toEqual([]);
});

test("Firmware that waits, over restarts too, is listed and answered with svc", async () => {
  await start();
  hub.send(await firmware());
  await hub.receive("firmware.update.result", ({ state }) => state === "available");
  await console.kill();
  await start();
  const listed = await svc(["questions", "--device", console.http]);
  expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining("firmware-f  firmware 0.2.0") });
  const from = hub.received.length;
  expect(await svc(["answer", "firmware-f", "decline", "--device", `usb:${console.usb}`])).toMatchObject({
    status: 0,
  });
  expect(await hub.receive("firmware.update.result", () => true, from)).toMatchObject({
    command_id: "f",
    state: "rejected",
    success: false,
    error: "declined",
  });
  expect(await getJson(`${console.http}/api/ota/status`)).not.toHaveProperty("available");
});

test("Firmware that waits is fetched by nobody's command but the owner's", async () => {
  await start();
  hub.send(await firmware());
  await hub.receive("firmware.update.result", ({ state }) => state === "available");
  const apply = `${console.http}/api/cmd?${new URLSearchParams({ c: "ota apply" })}`;
  expect(await askHttp(apply, { method: "POST" })).toMatchObject({
    status: 200,
    body: { error: "unauthorized", output: expect.stringContaining("To answer for the console's user") },
  });
  expect(await getJson(`${console.http}/api/ota/status`)).toMatchObject({
    state: "idle",
    available: { version: "0.2.0" },
  });
  const { body } = await byCable("GET", "/api/auth/token");
  const headers = { authorization: `Bearer ${body.token}` };
  expect((await askHttp(apply, { method: "POST", headers })).body.output).toMatch(
    /^Fetching firmware 0\.2\.0/,
  );
  await hub.receive("firmware.update.result", ({ state }) => state === "staged");
});

test("Firmware that is available is fetched as soon as the user chooses automatic updates", async () => {
  await start();
  hub.send(await firmware());
  await hub.receive("firmware.update.result", ({ state }) => state === "available");
  expect(hub.downloads).toEqual([]);
  await byCable("POST", "/api/settings", { updates: "automatic" });
  await hub.receive("firmware.update.result", ({ state }) => state === "staged");
});

test("A console without a home screen does not ask about apps", async () => {
  await start("--config", "CONFIG_SVC_HOME_SCREEN=off");
  expect(await byCable("POST", "/api/settings", { updates: "ask_all" })).toMatchObject({
    status: 400,
    body: { error: "bad_parameter" },
  });
  hub.send(app("one"));
  expect(await resultOf("one")).toMatchObject({ success: true });
});

test("The home screen shows at once what another client changes", async () => {
  await start("--config", "CONFIG_SVC_HOME_REMOTE=on");
  await hold(BITS.select);
  await expect.poll(isFullBrightnessShown).toBe(true);
  await hold(0);
  await byCable("POST", "/api/settings", { brightness_percent: "40" });
  await expect.poll(isFullBrightnessShown).toBe(false);
});

/** Whether the settings show three digits in the row of the display. */
async function isFullBrightnessShown(): Promise<boolean> {
  const { rgb, width } = await screen();
  const digit = Array.from({ length: 16 }, (_, row) => 3 * ((194 + row) * width + 192));
  return digit.some((at) => rgb.subarray(at, at + 3 * 8).some((byte) => byte > 0));
}
