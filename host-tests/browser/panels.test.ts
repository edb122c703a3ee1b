/**
 * Every panel in light and dark, on a desk and on a phone: what axe-core finds, what is wider than the screen, what the
 * keyboard does not come to, and a picture of it in build/screenshots.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { inTier } from "../tier.js";
import { violations, walkByKeyboard } from "./hosts/accessibility.js";
import { missesChromium } from "./hosts/chromium.js";
import type { ConsolePage } from "./hosts/console-page.js";
import { Furnished } from "./hosts/furnished.js";
import { PANELS, showPanel } from "./hosts/panels.js";
import { consoleAt } from "./hosts/serial-devices.js";

const PICTURES = path.join(import.meta.dirname, "../../build/screenshots");

const DESK = Object.freeze({ device: "a desk", width: 1280, height: 800 });
const PHONE = Object.freeze({ device: "a phone", width: 390, height: 844 });
/** The first two have each size and each color scheme. */
const LOOKS = [
  { ...DESK, colorScheme: "light" },
  { ...PHONE, colorScheme: "dark" },
  { ...DESK, colorScheme: "dark" },
  { ...PHONE, colorScheme: "light" },
] as const;
const LOOKS_IN_TIER = inTier({ quick: LOOKS.slice(0, 2), sample: LOOKS.slice(2), nightly: LOOKS });

describe.skipIf(missesChromium)("The web console", () => {
  let furnished: Furnished;
  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    furnished = await Furnished.start();
    await furnished.stage.act("start", "bricks");
  });
  afterAll(() => furnished?.end());

  for (const { device, width, height, colorScheme } of LOOKS_IN_TIER)
    describe(`in ${colorScheme} on ${device}`, () => {
      let page: ConsolePage;
      beforeAll(async () => {
        page = await furnished.stage.openHosted({ width, height, colorScheme, hasFakeSerial: true });
      });
      afterAll(() => page?.close());

      async function look(name: string): Promise<void> {
        await page.page.screenshot({
          path: path.join(PICTURES, `${name}-${colorScheme}-${width}.png`),
          fullPage: true,
        });
        const { scrollWidth, clientWidth } = await page.page.evaluate(() => ({
          scrollWidth: document.documentElement.scrollWidth,
          clientWidth: document.documentElement.clientWidth,
        }));
        assert.ok(scrollWidth <= clientWidth, `It is ${scrollWidth} pixels wide, of ${clientWidth}`);
        assert.deepEqual(await violations(page.page), []);
      }

      test("fits its width and has no accessibility violation before a console is connected", async () => {
        await (await page.panel("Connect")).waitFor();
        await look("not-connected");
        await page.go("Apps");
        await look("apps-not-connected");
      });

      test("connects by cable", async () => {
        await page.go("Connect");
        await page.serial?.plug(consoleAt(furnished.stage.console.usb));
        await page.connectUsb();
      });

      for (const name of PANELS)
        test(`fits its width, has no accessibility violation and works by keyboard in ${name}`, async () => {
          await showPanel(page, name);
          await look(name.toLowerCase());
          assert.deepEqual(await walkByKeyboard(page.page), { missed: [], unmarked: [] });
        });

      test("has accessible dialogs, and Escape returns the focus to where it was", async () => {
        await page.go("Apps");
        await page.choose("Install app…", furnished.examples.files("clock"));
        const dialog = page.page.getByRole("dialog");
        await dialog.waitFor();
        await look("install");
        await page.page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await page.button("Uninstall clock").click();
        await dialog.waitFor();
        await look("uninstall");
        await page.page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        const focused = await page.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
        assert.equal(focused, "Uninstall clock");
      });
    });
});
