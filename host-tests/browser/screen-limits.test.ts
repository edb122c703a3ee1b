/** What the Screen panel tells who is no owner of the console (docs/spec/web-console.md#page-screen-limits). */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { overUsb } from "../hosts/usb-client.js";
import { violations } from "./hosts/accessibility.js";
import { missesChromium } from "./hosts/chromium.js";
import { LOST_CONNECTIONS } from "./hosts/console-page.js";
import { unreachablePads } from "./hosts/reached-pads.js";
import { Stage } from "./hosts/stage.js";

const PICTURE = { name: /by \d+ pixels/ };
const LIMITS = /takes buttons only over USB or with the access token/;
const SIZES = [
  { device: "a desk", width: 1280, height: 800 },
  { device: "a phone", width: 390, height: 844 },
];

describe.skipIf(missesChromium)("The Screen panel over the network", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  for (const { device, width, height } of SIZES)
    test(`tells without the token what the home screen keeps from others, on ${device}`, async () => {
      const page = await stage.openOverHttp({ width, height, tolerates: [LOST_CONNECTIONS] });
      const panel = await page.go("Screen");
      const picture = panel.getByRole("img", PICTURE);
      await picture.waitFor();
      await panel.getByText(LIMITS).waitFor();
      assert.deepEqual(await violations(page.page), []);
      const spareWidth = await page.page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return clientWidth - scrollWidth;
      });
      assert.ok(spareWidth >= 0, `It is ${-spareWidth} pixels too wide`);
      const shown = await picture.boundingBox();

      const { token } = await overUsb(stage.console, async (usb) => {
        return (await usb.request("GET", "/api/auth/token")).body;
      });
      await page.connectTo(stage.console.http, token);
      await page.isConnected(/^Connected/);
      await page.go("Screen");
      await picture.waitFor();
      assert.equal(await panel.getByText(LIMITS).count(), 0);
      assert.equal(
        (await picture.boundingBox())?.width,
        shown?.width,
        "The picture is smaller beside the text",
      );
      await page.close();
    });

  // docs/spec/simulated-console.md#pairing-link
  test("limits nothing once a link with the token has paired the browser, also after a reload", async () => {
    const page = await stage.openOverHttp({ tolerates: [LOST_CONNECTIONS] });
    await (await page.go("Screen")).getByText(LIMITS).waitFor();
    const { token } = await overUsb(stage.console, async (usb) => {
      return (await usb.request("GET", "/api/auth/token")).body;
    });
    await page.page.goto(`${stage.console.http}/#token=${"x".repeat(43)}/screen`);
    await (await page.panel("Screen")).getByText(LIMITS).waitFor();
    await page.page.goto(`${stage.console.http}/#token=${token}/screen`);
    await page.isConnected(/^Connected/);
    const panel = await page.panel("Screen");
    await panel.getByRole("img", PICTURE).waitFor();
    assert.equal(new URL(page.page.url()).hash, "#screen");
    assert.equal(await panel.getByText(LIMITS).count(), 0);
    await page.page.reload();
    await panel.getByRole("img", PICTURE).waitFor();
    assert.equal(await panel.getByText(LIMITS).count(), 0);
    await page.close();
  });

  test("has all buttons of the console within reach of a phone on its side", async () => {
    const page = await stage.openOverHttp({ width: 844, height: 390, tolerates: [LOST_CONNECTIONS] });
    const panel = await page.go("Screen");
    await panel.getByRole("img", PICTURE).waitFor();
    assert.deepEqual(await unreachablePads(page.page), []);
    await page.close();
  });
});
