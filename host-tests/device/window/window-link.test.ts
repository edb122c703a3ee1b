/** What the console tells its window, and what it takes from it (docs/spec/simulated-console.md#window). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { askHttp } from "../../hosts/http-client.js";
import { expand, readPng } from "../../hosts/read-png.js";
import { type Console, type ConsoleOptions, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { noisePicture, startNoise, WITHOUT_HOME } from "../display/noise-app.js";
import { FakeWindow } from "./fake-window.js";

const [DOWN, SELECT] = [2, 512];

let window: FakeWindow;
beforeEach(async () => {
  window = await FakeWindow.open();
});
afterEach(() => window.close());

const start = ({ flags = [], ...options }: ConsoleOptions = {}) =>
  startConsole({ ...options, flags: ["--window-program", window.program, ...flags] });

/** As the owner sees it: others do not see all rows. */
async function screen({ usb: port }: Console): Promise<Buffer> {
  const usb = await UsbClient.open(port);
  const { body } = await usb.request("GET", "/api/screen");
  await usb.close();
  return readPng(Buffer.from(body.png, "base64")).rgb;
}

const showsTheScreen = (console: Console) =>
  expect.poll(async () => window.last?.rgb.equals(await screen(console))).toBe(true);

test("The window shows the boot picture first, then what the display shows, across a restart", async () => {
  const console = await start();
  await showsTheScreen(console);
  const first = window.first?.rgb as Buffer;
  expect(first.some((byte) => byte > 0)).toBe(true);
  expect(window.last?.rgb.equals(first)).toBe(false);
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/is ready/, from);
  await showsTheScreen(console);
  expect(window.started).toBe(1);
  expect(await console.stop()).toBe(0);
});

test("Its buttons are the owner's: they lead through the home screen, which a stranger's do not", async () => {
  const console = await start();
  await showsTheScreen(console);
  const grid = await screen(console);
  await askHttp(`${console.http}/api/buttons?pressed=${SELECT}`, { method: "POST" });
  window.press(DOWN); // changes nothing where there is no app
  await showsTheScreen(console);
  await askHttp(`${console.http}/api/buttons?pressed=0`, { method: "POST" });
  expect((await screen(console)).equals(grid)).toBe(true);
  window.press(SELECT);
  await expect.poll(async () => (await screen(console)).equals(grid)).toBe(false);
  expect(await console.stop()).toBe(0);
});

test("A window that ends releases its buttons, and the console goes on", async () => {
  const console = await start({ flags: WITHOUT_HOME });
  const shows = (buttons: number) =>
    expect.poll(async () => (await screen(console)).equals(expand(noisePicture(buttons)))).toBe(true);
  await startNoise(console);
  window.press(SELECT);
  await shows(SELECT);
  window.press(0xffff); // no bits but those of buttons
  await shows(0x3ff);
  const from = console.stderr.length;
  window.crash();
  await console.waitForLine(/^console: its window has ended; the console goes on$/, from);
  await shows(0);
  expect(await console.stop()).toBe(0);
});

test("The light behind the display is as bright as the user chose, in the window too", async () => {
  const console = await start();
  const usb = await UsbClient.open(console.usb);
  for (const percent of [30, 100]) {
    await usb.request("POST", "/api/settings", { brightness_percent: percent });
    await expect.poll(() => window.last?.brightnessPercent).toBe(percent);
  }
  await usb.request("POST", "/api/settings", { sleep_after_s: 1 });
  await expect.poll(() => window.last?.brightnessPercent).toBe(0);
  window.press(SELECT);
  await expect.poll(() => window.last?.brightnessPercent).toBe(100);
  await usb.close();
  expect(await console.stop()).toBe(0);
});

test("Closing the window switches the console off", async () => {
  const console = await start();
  await showsTheScreen(console);
  window.switchOff();
  expect(await console.exited).toBe(0);
  expect(console.stderr.at(-1)).toContain("shutting down");
});

test("The window stays across a reset by the watchdog", async () => {
  const hangs = "export default function () { for (;;); }\n";
  const console = start({ image: hangs, environment: { SVC_SIM_WATCHDOG_MS: "300" } });
  await expect(console).rejects.toThrow(/crashes in a row, giving up/);
  expect([window.started, window.first !== undefined]).toEqual([1, true]);
});

test("A window that cannot be started is reported, and the console goes on", async () => {
  const console = await startConsole({ flags: ["--window-program", "/nonexistent/window"] });
  expect(console.stderr).toContainEqual("console: cannot start its window: No such file or directory");
  expect((await askHttp(`${console.http}/api/status`)).status).toBe(200);
  expect(await console.stop()).toBe(0);
});
