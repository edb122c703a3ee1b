/** One app in front: it alone draws and reads the buttons (docs/spec/apps.md#front). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { readPng } from "../../hosts/read-png.js";

/** Fills the display with a colour once a millisecond, in green where a button is down; logs each new result. */
const painter = (colour: number) => `(module
  (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (import "svc" "buttons" (func $buttons (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "shown") (data (i32.const 8) "hidden")
  (func (export "main") (local $last i32) (local $result i32)
    (local.set $last (i32.const 1))
    (loop $again
      (drop (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320)
        (select (i32.const 0x07e0) (i32.const ${colour}) (call $buttons))))
      (local.set $result (call $flush))
      (if (i32.ne (local.get $result) (local.get $last))
        (then (if (local.get $result)
          (then (drop (call $log (i32.const 1) (i32.const 8) (i32.const 6))))
          (else (drop (call $log (i32.const 1) (i32.const 0) (i32.const 5)))))))
      (local.set $last (local.get $result))
      (drop (call $sleep (i32.const 1)))
      (br $again))))`;

const RED = "ff0000";
const BLUE = "0000ff";
const GREEN = "00ff00";
const BLACK = "000000";

let console: AppConsole;

async function install(name: string, text: string): Promise<void> {
  const capabilities = ["display.write", "gpio.read"] as const;
  const file = packageOf(await moduleOf(text), { name, capabilities });
  const answer = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  expect(answer.status).toBe(200);
}

beforeAll(async () => {
  console = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HOME_SCREEN=off"] });
  await install("red", painter(0xf800));
  await install("blue", painter(0x001f));
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
});

/** The colour of the pixel in the middle of the display. */
async function colour(): Promise<string> {
  const answer = await fetch(`${console.http}/api/screen`);
  const { rgb, width, height } = readPng(Buffer.from(await answer.arrayBuffer()));
  const middle = 3 * ((height / 2) * width + width / 2);
  return rgb.subarray(middle, middle + 3).toString("hex");
}

const front = async () => (await getJson(`${console.http}/api/system`)).foreground;
const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** What an app has logged of its drawing. */
async function told(name: string): Promise<string[]> {
  const { lines } = await getJson(`${console.http}/api/logs`);
  const pattern = new RegExp(` app/${name}: (\\w+)$`);
  return lines.flatMap((line: string) => pattern.exec(line)?.[1] ?? []);
}

test("An app that is started comes to the front, and one that is brought there comes back with its picture", async () => {
  expect(await front()).toBeUndefined();
  expect(await colour()).toBe(BLACK);

  expect((await console.app("start", "red")).body).toMatchObject({ state: "running", foreground: true });
  await expect.poll(colour).toBe(RED);
  expect((await console.app("start", "blue")).body).toMatchObject({ state: "running", foreground: true });
  await expect.poll(colour).toBe(BLUE);
  await expect.poll(() => told("red")).toEqual(["shown", "hidden"]);
  expect(await front()).toBe("blue");
  expect((await console.apps()).map(({ name, foreground }) => [name, foreground])).toEqual([
    ["blue", true],
    ["red", undefined],
  ]);

  expect((await console.app("front", "red")).body).toMatchObject({ name: "red", foreground: true });
  await expect.poll(colour).toBe(RED);
  await expect.poll(() => told("blue")).toEqual(["shown", "hidden"]);
  await expect.poll(() => told("red")).toEqual(["shown", "hidden", "shown"]);
});

test("Only the app in front reads the buttons, and none that were down when it came there", async () => {
  await press(0x10);
  await expect.poll(colour).toBe(GREEN);
  expect((await console.app("front", "blue")).status).toBe(200);
  await expect.poll(colour).toBe(BLUE);
  await press(0);
  await press(0x10);
  await expect.poll(colour).toBe(GREEN);
  await press(0);
  await expect.poll(colour).toBe(BLUE);
});

/** Looks at the buttons once, after 1.5 s: its exit code has what is down, what went down, and what went up. */
const LATE = `(module
  (import "svc" "buttons" (func $buttons (result i32)))
  (import "svc" "buttons_pressed" (func $pressed (result i32)))
  (import "svc" "buttons_released" (func $released (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (func (export "main") (result i32)
    (drop (call $sleep (i32.const 1500)))
    (i32.or (call $buttons)
      (i32.or (i32.shl (call $pressed) (i32.const 10)) (i32.shl (call $released) (i32.const 20))))))`;

test("A press that is over before an app looks is told, and so is its release", async () => {
  await install("late", LATE);
  await press(0x8);
  await console.app("start", "late");
  await press(0x18);
  await press(0x20);
  await expect
    .poll(async () => (await console.apps()).find(({ name }) => name === "late")?.last_exit?.code)
    .toBe(0x20 | (0x30 << 10) | (0x10 << 20));
  await press(0);
});

test("The display is cleared when the app in front ends", async () => {
  await console.app("stop", "blue");
  expect([await front(), await colour()]).toEqual([undefined, BLACK]);
  await console.app("front", "red");
  await expect.poll(colour).toBe(RED);
  await console.app("stop", "red");
  expect([await front(), await colour()]).toEqual([undefined, BLACK]);
});

test("An app that does not run, and one that is not there, cannot come to the front", async () => {
  expect(await console.app("front", "red")).toMatchObject({ status: 409, body: { error: "app_stopped" } });
  expect(await console.app("front", "green")).toMatchObject({
    status: 404,
    body: { error: "app_not_found" },
  });
  expect(await console.shell("app front red")).toMatch(/not running/);
});

/** Waits until it is behind another app; its exit code is how many of the functions that draw then return -16. */
const REFUSED = `(module
  (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_blit" (func $blit (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_text" (func $text (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "text")
  (func $isRefused (param i32) (result i32) (i32.eq (local.get 0) (i32.const -16)))
  (func (export "main") (result i32)
    (loop $again
      (drop (call $sleep (i32.const 1)))
      (br_if $again (i32.eqz (call $flush))))
    (call $isRefused (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320) (i32.const 0x07e0)))
    (call $isRefused (call $fill (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
    (call $isRefused (call $blit (i32.const 0) (i32.const 0) (i32.const 8) (i32.const 8) (i32.const 0)))
    (call $isRefused (call $text (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 4)))
    (call $isRefused (call $text (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 0)))
    (call $isRefused (call $flush))
    i32.add i32.add i32.add i32.add i32.add))`;

test("Each function that draws is -16 behind another app, and draws nothing", async () => {
  await install("refused", REFUSED);
  expect((await console.app("start", "refused")).status).toBe(200);
  expect((await console.app("start", "red")).status).toBe(200);
  await expect
    .poll(async () => (await console.apps()).find(({ name }) => name === "refused")?.last_exit)
    .toMatchObject({ reason: "exit", code: 6 });
  expect(await colour()).toBe(RED);
  await console.app("stop", "red");
});

/** Draws once. */
const STILL = `(module
  (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "display_flush" (func $flush (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (func (export "main")
    (drop (call $fill (i32.const 0) (i32.const 0) (i32.const 240) (i32.const 320) (i32.const 0x001f)))
    (drop (call $flush))
    (loop $again (drop (call $sleep (i32.const 1000))) (br $again))))`;

test.each([
  { count: 0, shown: BLACK },
  { count: 1, shown: BLUE },
])("An app comes back with its last picture if the build keeps it: $count", async ({ count, shown }) => {
  const outer = console;
  const flags = ["HOME_SCREEN=off", `KEPT_PICTURES=${count}`].flatMap((one) => [
    "--config",
    `CONFIG_SVC_${one}`,
  ]);
  console = await startAppConsole({ flags });
  try {
    await install("still", STILL);
    await install("red", painter(0xf800));
    await console.app("start", "still");
    await expect.poll(colour).toBe(BLUE);
    await console.app("start", "red");
    await expect.poll(colour).toBe(RED);
    await console.app("front", "still");
    expect(await colour()).toBe(shown);
    expect(await console.stop()).toBe(0);
  } finally {
    console = outer;
  }
});
