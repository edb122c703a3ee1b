/** What the console tells its window, and what it takes from it (docs/spec/simulated-console.md#window). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { HomeUser } from "../../hosts/home-user.js";
import { askHttp } from "../../hosts/http-client.js";
import { expand } from "../../hosts/read-png.js";
import { type ConsoleOptions, startConsole } from "../../hosts/simulator.js";
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

/** The line on top has the time, the free memory, and a mark for the cable. */
const STATUS_BAR_BYTES = 24 * 240 * 3;
const belowStatusBar = (rgb: Buffer | undefined) => rgb?.subarray(STATUS_BAR_BYTES) ?? Buffer.alloc(0);

/** As the owner sees it, without the line on top: others do not see all rows. */
async function screen(user: HomeUser): Promise<Buffer> {
  return belowStatusBar((await user.look()).picture.rgb);
}

/** Waits for what comes after the boot picture. */
async function showsTheScreen(user: HomeUser): Promise<void> {
  const boot = belowStatusBar(window.first?.rgb);
  await expect.poll(() => belowStatusBar(window.last?.rgb).equals(boot)).toBe(false);
  await expect.poll(async () => belowStatusBar(window.last?.rgb).equals(await screen(user))).toBe(true);
}

test("The window shows the boot picture first, then what the display shows, across a restart", async () => {
  const console = await start();
  let user = await HomeUser.of(console);
  await showsTheScreen(user);
  expect(window.first?.rgb.some((byte) => byte > 0)).toBe(true);
  await user.close();
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/is ready/, from);
  user = await HomeUser.of(console);
  await showsTheScreen(user);
  expect(window.started).toBe(1);
  await user.close();
  expect(await console.stop()).toBe(0);
});

test("Its buttons are the owner's: they lead through the home screen, which a stranger's do not", async () => {
  const console = await start();
  const user = await HomeUser.of(console);
  await user.reads("No apps yet");
  const grid = await screen(user);
  await askHttp(`${console.http}/api/buttons?pressed=${SELECT}`, { method: "POST" });
  window.press(DOWN); // changes nothing where there is no app
  await showsTheScreen(user);
  await askHttp(`${console.http}/api/buttons?pressed=0`, { method: "POST" });
  expect((await screen(user)).equals(grid)).toBe(true);
  window.press(SELECT);
  await expect.poll(async () => (await screen(user)).equals(grid)).toBe(false);
  await user.close();
  expect(await console.stop()).toBe(0);
});

test("A window that ends releases its buttons, and the console goes on", async () => {
  const console = await start({ flags: WITHOUT_HOME });
  const user = await HomeUser.of(console);
  const shows = (buttons: number) =>
    expect
      .poll(async () => (await screen(user)).equals(belowStatusBar(expand(noisePicture(buttons)))))
      .toBe(true);
  await startNoise(console);
  window.press(SELECT);
  await shows(SELECT);
  window.press(0xffff); // no bits but those of buttons
  await shows(0x3ff);
  const from = console.stderr.length;
  window.crash();
  await console.waitForLine(/^console: its window has ended; the console goes on$/, from);
  await shows(0);
  await user.close();
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
  const user = await HomeUser.of(console);
  await showsTheScreen(user);
  await user.close();
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
