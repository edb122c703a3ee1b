/** The page is connected to one console and then to another: nothing of the first is shown under the second one's name. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { FirmwareConsole } from "../hosts/firmware-console.js";
import { missesChromium } from "./hosts/chromium.js";
import type { ConsolePage } from "./hosts/console-page.js";
import type { FakeSerial } from "./hosts/fake-serial.js";
import { runCommand } from "./hosts/panels.js";
import { consoleAt } from "./hosts/serial-devices.js";
import { Stage } from "./hosts/stage.js";

const PICTURE = /by \d+ pixels/;

describe.skipIf(missesChromium)("The web console, connected to another console", () => {
  let stage: Stage;
  let other: FirmwareConsole;
  beforeAll(async () => {
    stage = await Stage.start();
    other = await Stage.startConsole();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(async () => {
    await other?.stop();
    await stage?.end();
  });

  async function connect(page: ConsolePage, { usb, name }: FirmwareConsole): Promise<void> {
    await page.serial?.plug(consoleAt(usb));
    await page.go("Connect");
    await page.connectUsb();
    await page.page.getByRole("heading", { name, level: 1 }).waitFor();
  }

  async function change(page: ConsolePage): Promise<void> {
    await page.button("Disconnect").click();
    await page.serial?.unplug();
    await connect(page, other);
  }

  test("shows its live log, though the previous one was paused, and saves it under its name", async () => {
    const page = await stage.openHosted({ hasFakeSerial: true });
    await connect(page, stage.console);
    const log = (await page.go("Logs")).getByRole("log");
    await log.getByText(`${stage.console.name} is ready`).first().waitFor();
    await page.button("Pause").click();
    await change(page);
    await page.go("Logs");
    await log.getByText(`${other.name} is ready`).first().waitFor();
    await page.button("Pause").waitFor();
    const download = page.page.waitForEvent("download");
    await page.button("Save").click();
    const saved = await download;
    assert.ok(saved.suggestedFilename().startsWith(other.name));
    assert.ok(!(await readFile(await saved.path(), "utf8")).includes(stage.console.name));
    await page.close();
  });

  test("marks in the shell where it begins", async () => {
    const page = await stage.openHosted({ hasFakeSerial: true });
    await connect(page, stage.console);
    await page.go("Shell");
    await runCommand(page, "uptime");
    await change(page);
    const shell = await page.go("Shell");
    await shell.getByRole("log").getByText(`From here on: ${other.name}`).waitFor();
    await page.close();
  });

  test("shows no picture of the previous console", async () => {
    const page = await stage.openHosted({ hasFakeSerial: true });
    const serial = page.serial as FakeSerial;
    await connect(page, stage.console);
    const screen = await page.go("Screen");
    await screen.getByRole("img", { name: PICTURE }).waitFor();
    await page.go("Device");
    await change(page);
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    serial.onWritten = (text) => (text.includes("/api/screen") ? isAnswered : undefined);
    await page.go("Screen");
    await screen
      .getByRole("img", { name: `Display of ${other.name}, no app is running`, exact: true })
      .waitFor();
    answer();
    await screen.getByRole("img", { name: PICTURE }).waitFor();
    await page.close();
  });
});
