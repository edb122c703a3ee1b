/** Names, descriptions and versions that are one long word are within the screen of a phone, wherever they are shown. */
import assert from "node:assert/strict";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { bitmap } from "../hosts/bitmap.js";
import { appPackage } from "../hub/catalog/hub-publisher.js";
import { missesChromium } from "./hosts/chromium.js";
import type { ConsolePage } from "./hosts/console-page.js";
import { Furnished } from "./hosts/furnished.js";
import { PANELS, showPanel } from "./hosts/panels.js";
import { openStore } from "./hosts/store.js";

/** The longest that manifests may have. */
const NAME = "W".repeat(32);
const TEXT = "W".repeat(128);
const VERSION = `1.0.0-${"0123456789".repeat(12)}`;

/** Replaces texts of the console's answers by long ones. */
async function replaceFacts(context: BrowserContext): Promise<void> {
  const told: Readonly<Record<string, (body: object) => object>> = {
    "/api/system": (body) => ({
      ...body,
      name: TEXT,
      board: TEXT,
      firmware: { version: VERSION, codename: TEXT },
    }),
    "/api/ota/status": (body) => ({ ...body, running_version: VERSION, available: { version: VERSION } }),
  };
  for (const [path, change] of Object.entries(told))
    await context.route(`**${path}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change(await response.json()) });
    });
}

describe.skipIf(missesChromium)("A long word", () => {
  let furnished: Furnished;
  beforeAll(async () => {
    furnished = await Furnished.start();
    const file = await appPackage(
      { name: NAME, description: TEXT, author: `https://${TEXT.slice(0, 120)}`, memory_quota: 1 << 20 },
      { icon: bitmap() },
    );
    await furnished.stage.install(file);
    assert.equal((await furnished.user.publishApp(file)).status, 201);
    await furnished.stage.act("start", "bricks");
  });
  afterAll(() => furnished?.end());

  for (const width of [320, 390])
    describe(`on a screen of ${width} pixels`, () => {
      let page: ConsolePage;
      beforeAll(async () => {
        page = await furnished.stage.openOverHttp({ width, height: 800, prepare: replaceFacts });
      });
      afterAll(() => page?.close());

      async function fits(): Promise<void> {
        const { scrollWidth, clientWidth } = await page.page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const dialog = document.querySelector("dialog[open]") ?? document.documentElement;
          return { scrollWidth: scrollWidth + dialog.scrollWidth - dialog.clientWidth, clientWidth };
        });
        assert.ok(scrollWidth <= clientWidth, `It is ${scrollWidth} pixels wide, of ${clientWidth}`);
      }

      for (const name of PANELS)
        test(`fits the width of the panel ${name}`, async () => {
          await showPanel(page, name);
          await fits();
        });

      test("fits the width of an app of the store, and of the dialog before its install", async () => {
        const store = await openStore(page);
        await store.getByRole("button", { name: NAME, exact: true }).click();
        await page.button(`Install ${NAME} here`).waitFor();
        await fits();
        await page.button(`Install ${NAME} here`).click();
        await page.page.getByRole("dialog").waitFor();
        await fits();
        await page.page.keyboard.press("Escape");
      });
    });
});
