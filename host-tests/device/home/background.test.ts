/** Apps that the user leaves, and those that they let run in the background (docs/spec/apps.md#background). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { readPng } from "../../hosts/read-png.js";
import { UsbClient } from "../../hosts/usb-client.js";

const BITS = { a: 16, start: 256, select: 512 } as const;
const HOME = BITS.select | BITS.start;

/** Logs a line every 20 ms, whatever is in front. */
const TICKING = `(module (import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (memory 1) (data (i32.const 0) "tick")
  (func (export "main") (loop $again
    (drop (call $log (i32.const 1) (i32.const 0) (i32.const 4)))
    (drop (call $sleep (i32.const 20)))
    (br $again))))`;

let console: AppConsole;

beforeAll(async () => {
  console = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HOME_REMOTE=on"] });
  for (const name of ["first", "second"]) {
    const file = packageOf(await moduleOf(TICKING), { name });
    const { status } = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
});

const hold = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** Holds buttons until they have had their effect. */
async function press(bits: number, effect: () => Promise<void>): Promise<void> {
  await hold(bits);
  await effect();
  await hold(0);
}

const front = async () => (await getJson(`${console.http}/api/system`)).foreground;
const entry = async (wanted: string) => (await console.apps()).find(({ name }) => name === wanted);

/** A row of pixels of what the cursor is on (device/home/app/palette.ts). */
const HIGHLIGHT = Buffer.from("00499c".repeat(8), "hex");
/** It shows free memory and time, which change by themselves. */
const STATUS_BAR_BYTES = 24 * 240 * 3;

async function belowStatusBar(): Promise<Buffer> {
  const answer = await fetch(`${console.http}/api/screen`);
  return readPng(Buffer.from(await answer.arrayBuffer())).rgb.subarray(STATUS_BAR_BYTES);
}

const ticks = (name: string) => console.stderr.filter((line) => line.endsWith(`app/${name}: tick`)).length;

async function tenMoreTicks(name: string): Promise<void> {
  const before = ticks(name);
  await expect.poll(() => ticks(name)).toBeGreaterThan(before + 10);
}

async function standsStill(name: string, while_: () => Promise<void>): Promise<void> {
  const before = ticks(name);
  await while_();
  expect(ticks(name)).toBe(before);
}

test("An app that the user leaves for the home screen has no time until it is in front again", async () => {
  await press(BITS.a, () => expect.poll(front).toBe("first"));
  await tenMoreTicks("first");
  await press(HOME, () => expect.poll(front).toBeUndefined());
  expect(await entry("first")).toMatchObject({ state: "running", suspended: true });

  await console.app("start", "second");
  await tenMoreTicks("second"); // by which time a line of the other that was on its way has arrived
  await standsStill("first", () => tenMoreTicks("second"));

  await press(HOME, () => expect.poll(front).toBeUndefined());
  await press(BITS.a, () => expect.poll(front).toBe("first"));
  expect(await entry("first")).not.toHaveProperty("suspended");
  await standsStill("second", () => tenMoreTicks("first"));
  await console.app("stop", "second");
});

test("The page of an app lets it run in the background, where it goes on then", async () => {
  await press(HOME, () => expect.poll(front).toBeUndefined());
  expect((await entry("first"))?.suspended).toBe(true);
  const isDrawn = async () => (await belowStatusBar()).includes(HIGHLIGHT);
  await expect.poll(isDrawn).toBe(true);
  const grid = await belowStatusBar();
  await press(BITS.start, () => expect.poll(async () => (await belowStatusBar()).equals(grid)).toBe(false));
  const background = async () => (await entry("first"))?.background;
  await press(BITS.select, () => expect.poll(background).toBe(true));
  expect(await entry("first")).not.toHaveProperty("suspended");
  await tenMoreTicks("first");
});

test("Only the owner lets an app run in the background", async () => {
  const address = `${console.http}/api/apps/background?name=second`;
  const post = (query: string) => askHttp(`${address}${query}`, { method: "POST" });
  expect(await post("&allowed=true")).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  expect(await entry("second")).not.toHaveProperty("background");
  expect((await console.shell("app background second on")).trim()).toMatch(/bearer token/);

  const usb = await UsbClient.open(console.usb);
  const choose = (params: Readonly<Record<string, string>>) =>
    usb.request("POST", "/api/apps/background", { name: "second", ...params });
  expect(await choose({ allowed: "true" })).toMatchObject({ status: 200, body: { background: true } });
  expect((await choose({ allowed: "false" })).body).not.toHaveProperty("background");
  expect(await choose({ allowed: "yes" })).toMatchObject({ status: 400, body: { error: "bad_parameter" } });
  expect(await choose({})).toMatchObject({ status: 400, body: { error: "missing_parameter" } });
  expect(await choose({ name: "third", allowed: "true" })).toMatchObject({
    status: 404,
    body: { error: "app_not_found" },
  });
  await usb.close();
});
