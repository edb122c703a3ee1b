/** The icons in the list of installed apps (docs/spec/web-console.md#app-icons). */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { type BitmapFields, bitmap } from "../hosts/bitmap.js";
import { kindsInTier } from "../tier.js";
import { missesChromium } from "./hosts/chromium.js";
import type { ConsolePage } from "./hosts/console-page.js";
import { Stage, TRANSPORTS } from "./hosts/stage.js";
import { until } from "./hosts/until.js";

/** A byte of every pixel, and the colour that it means. */
const FORMS: readonly { readonly name: string; readonly fields: BitmapFields; readonly colour: string }[] = [
  { name: "rgb24", fields: { bits: 24, shade: 0x5a }, colour: "90,90,90,255" },
  { name: "rgb24-top-down", fields: { bits: 24, height: -32, shade: 0x5a }, colour: "90,90,90,255" },
  { name: "rgb555", fields: { bits: 16, shade: 0xff }, colour: "255,255,255,255" },
  { name: "rgb565", fields: { bits: 16, compression: 3, shade: 0xff }, colour: "255,255,255,255" },
  {
    name: "argb8888",
    fields: { bits: 32, compression: 3, infoBytes: 124, shade: 0xff },
    colour: "255,255,255,255",
  },
  { name: "palette1", fields: { bits: 1, shade: 0 }, colour: "0,0,0,255" },
  { name: "palette4", fields: { bits: 4, infoBytes: 108, shade: 0 }, colour: "0,0,0,255" },
  { name: "palette8", fields: { bits: 8, infoBytes: 40, shade: 0 }, colour: "0,0,0,255" },
];

describe.skipIf(missesChromium)("The list of installed apps", () => {
  let stage: Stage;
  let module: Uint8Array;
  beforeAll(async () => {
    stage = await Stage.start();
    module = await moduleOf('(module (func (export "main")))');
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  const install = (name: string, icon?: Uint8Array) => stage.install(packageOf(module, { name }, icon));
  const card = (page: ConsolePage, name: string) => page.page.getByRole("listitem", { name, exact: true });

  /** Waits for the icon of an app. @returns the colour of a pixel in its middle */
  async function iconOf(page: ConsolePage, name: string): Promise<string> {
    const image = card(page, name).locator("img");
    await image.waitFor();
    return image.evaluate(async (element) => {
      const shown = element as HTMLImageElement;
      await shown.decode();
      const context = document.createElement("canvas").getContext("2d");
      context?.drawImage(shown, 0, 0);
      return context?.getImageData(16, 16, 1, 1).data.join() ?? "";
    });
  }

  for (const { name: transport, missing, open } of kindsInTier(TRANSPORTS))
    test.skipIf(missing)(`shows the icon of each app ${transport}, in its pixels`, async () => {
      for (const { name, fields } of FORMS) await install(name, bitmap(fields));
      await install("plain");
      const page = await open(stage);
      await page.go("Apps");
      for (const { name, colour } of FORMS) assert.equal(await iconOf(page, name), colour, name);
      const image = card(page, "rgb24").locator("img");
      const { alt, size, rendering } = await image.evaluate((element) => ({
        alt: element.getAttribute("alt"),
        size: [element.clientWidth, element.clientHeight],
        rendering: getComputedStyle(element).imageRendering,
      }));
      assert.deepEqual({ alt, size, rendering }, { alt: "", size: [32, 32], rendering: "pixelated" });
      assert.equal(await card(page, "plain").locator("img").count(), 0);
      await page.close();
    });

  test("is the same before and after the icons arrive, and asks only for those that there are", async () => {
    await install("drawn", bitmap());
    await install("plain");
    const page = await stage.openOverHttp();
    const asked: string[] = [];
    let send: () => void = () => {};
    const isWanted = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.page.route("**/api/apps/icon?*", async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("name") ?? "");
      await isWanted;
      await route.continue();
    });
    await page.go("Apps");
    await until(
      async () => asked.length,
      (count) => count > 0,
    );
    const boxes = () =>
      page.page
        .locator(".app, .app *")
        .evaluateAll((elements) =>
          elements
            .filter((element) => !element.closest(".bitmap-icon"))
            .map((element) => JSON.stringify(element.getBoundingClientRect())),
        );
    const before = await boxes();
    send();
    await card(page, "drawn").locator("img").waitFor();
    assert.deepEqual(await boxes(), before);
    assert.deepEqual([...new Set(asked)], ["drawn"]);
    await page.close();
  });

  test("shows the new icon of a replaced app, and none once it has none", async () => {
    await install("drawn", bitmap({ bits: 24, shade: 0x5a }));
    const page = await stage.openOverHttp();
    await page.go("Apps");
    assert.equal(await iconOf(page, "drawn"), "90,90,90,255");
    await install("drawn", bitmap({ bits: 32, shade: 0x11 }));
    await until(
      () => iconOf(page, "drawn").catch(() => "replaced while it was decoded"),
      (colour) => colour === "17,17,17,255",
    );
    await install("drawn");
    await card(page, "drawn").locator("img").waitFor({ state: "detached" });
    await page.close();
  });
});
