/** Pictures of the store's pages, as people see them on a telephone and on a wide screen. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appPackage, HubPublisher } from "../../hub/catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { screenshotsForm } from "../../hub/store/screenshots.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { drawsLettersAsKept, expectKeptPage } from "../hosts/kept-pages.js";

const ROOT = path.join(import.meta.dirname, "../../..");
const PICTURES = path.join(ROOT, "docs/images/store");

/** The examples, oldest first: their manifests, icons and displays are real, their modules empty. */
const CATEGORIES = {
  counter: "demos",
  snake: "games",
  clock: "time",
  plot: "science",
  sketch: "art",
  beats: "music",
  comets: "games",
  bricks: "games",
} as const;

const ABOUT = `Break the wall, and do not let the ball fall.

## Buttons

- **Left** and **right** move the paddle.
- **A** launches the ball.

The [best score](https://example.org/bricks) is kept on the console.`;

const PAGES = { front: "", category: "?category=games", search: "?q=ball", app: "bricks" };

let hub: HubUnderTest;
let chromium: Chromium;

async function publish(publisher: HubPublisher, name: keyof typeof CATEGORIES): Promise<void> {
  const example = path.join(ROOT, "sdk/examples", name);
  const manifest = JSON.parse(await readFile(path.join(example, "manifest.json"), "utf8"));
  const icon = await readFile(path.join(example, "icon_32.bmp"));
  const file = await appPackage({ ...manifest, memory_quota: 1048576 }, { icon }); // what the empty module has
  expect(await publisher.publish(file)).toMatchObject({ status: 201 });
  const json = { category: CATEGORIES[name], ...(name === "bricks" && BRICKS) };
  expect(await publisher.request("PUT", `/catalog/${name}/page`, { json })).toMatchObject({ status: 200 });
}

const BRICKS = { about: ABOUT, changelog: "- The first version", homepage_url: "https://example.org/bricks" };

describe.skipIf(missesChromium)("A page of the store", () => {
  let isComparable: Promise<boolean> | undefined;
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_PUBLIC_CATALOG: "on" } });
    const publisher = await HubPublisher.register(hub, "Pixel Works");
    for (const name of Object.keys(CATEGORIES)) await publish(publisher, name as keyof typeof CATEGORIES);
    const display = await readFile(path.join(ROOT, "docs/images/bricks.png"));
    const form = screenshotsForm([display]);
    const { status } = await publisher.request("PUT", "/catalog/bricks/screenshots", { form });
    expect(status).toBe(200);
    chromium = await Chromium.launch();
  });
  afterAll(async () => {
    await chromium?.close();
    await hub?.stop();
  });

  for (const [name, address] of Object.entries(PAGES))
    for (const width of [320, 1920])
      for (const colorScheme of ["light", "dark"] as const)
        test(`looks as it was kept: ${name}, ${width} pixels wide, ${colorScheme}`, async ({ skip }) => {
          isComparable ??= drawsLettersAsKept(chromium);
          skip(!(await isComparable), "letters look different here");
          const page = await chromium.browser.newPage({ viewport: { width, height: 640 }, colorScheme });
          await page.goto(`${hub.origin}/store/${address}`);
          await page.evaluate(() => {
            for (const time of document.querySelectorAll("time")) time.textContent = "27 November 2026";
          });
          await expectKeptPage(page, path.join(PICTURES, `${name}-${width}-${colorScheme}.png`));
          await page.close();
        });
});
