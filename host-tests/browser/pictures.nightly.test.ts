/** Takes the pictures of docs/web-console.md: every panel in light and dark, in typical use. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import { UPLOAD } from "../hosts/firmware-console.js";
import { firmwareBundle } from "../hosts/firmware-files.js";
import { askHttp, getJson } from "../hosts/http-client.js";
import { sendOverHttp } from "../hosts/upload-clients.js";
import { missesChromium } from "./hosts/chromium.js";
import { Furnished } from "./hosts/furnished.js";
import { PANELS, runCommand, showPanel } from "./hosts/panels.js";
import { consoleAt } from "./hosts/serial-devices.js";
import { smallPng } from "./hosts/small-png.js";
import type { Stage } from "./hosts/stage.js";

const FOR_DOCS = process.env["SVC_PICTURES"];
const DIRECTORY = FOR_DOCS ?? path.join(import.meta.dirname, "../../build/screenshots/docs");

const WIDTH = 1100;
const HEIGHT = 720;
/** Two of them are shown on one page of the docs, of which there are eight. */
const LIMIT_BYTES = 60 * 1024;

/** How long the charts of the device are looked at, so that there is something in them. */
const WORK_MS = 60_000;

/** What leaves traces in a console: a restart, an app that runs, firmware that waits for the next restart. */
async function live({ stage }: Furnished): Promise<void> {
  const { console } = stage;
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.started("software", from);
  await stage.act("start", "bricks");
  const bundle = await firmwareBundle({ version: "0.2.0" }, console.publisher);
  const { status } = await sendOverHttp(console, { path: UPLOAD, file: bundle });
  assert.equal(status, 200);
}

/** Keeps the console busy, in turns. */
async function work({ console }: Stage): Promise<void> {
  const end = performance.now() + WORK_MS;
  for (let turn = 0; performance.now() < end; turn += 1) {
    for (let request = 0; request < (turn % 7) * 150; request += 1)
      await getJson(`${console.http}/api/apps/list`);
    await setTimeout(2000);
  }
}

describe.skipIf(missesChromium)("The web console", () => {
  let furnished: Furnished;
  beforeAll(async () => {
    mkdirSync(DIRECTORY, { recursive: true });
    furnished = await Furnished.start();
    await live(furnished);
  });
  afterAll(() => furnished?.end());

  for (const colorScheme of ["light", "dark"] as const)
    test(`has a picture of every panel in ${colorScheme}`, async () => {
      const options = { width: WIDTH, height: HEIGHT, colorScheme, hasFakeSerial: true };
      const page = await furnished.stage.openHosted(options);
      await page.serial?.plug(consoleAt(furnished.stage.console.usb));
      for (const name of PANELS) {
        if (name === "Device") await page.connectUsb();
        await showPanel(page, name);
        if (name === "Device" && FOR_DOCS) await work(furnished.stage);
        if (name === "Shell") for (const command of ["ota status", "free"]) await runCommand(page, command);
        await page.rest();
        const file = path.join(DIRECTORY, `${name.toLowerCase()}-${colorScheme}.png`);
        const picture = smallPng(await page.page.screenshot({ animations: "disabled", caret: "hide" }));
        assert.ok(picture.length <= LIMIT_BYTES, `${file} has ${picture.length} bytes`);
        writeFileSync(file, picture);
      }
      await page.close();
    }, 180_000);
});
