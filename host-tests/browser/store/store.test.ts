/** The store's pages in Chromium, without an account: as people see them, by keyboard, without scripts, and on to the player. */
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { newApp } from "../../../sdk/new-app.js";
import { bitmap } from "../../hosts/bitmap.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { appPackage, HubPublisher } from "../../hub/catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { screenshotsForm, smallPng } from "../../hub/store/screenshots.js";
import { violations, walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";

const LONG = "W".repeat(64);
const ABOUT = `# How to play

Catch *everything*, see [the rules](https://example.org/rules).

> ${"long".repeat(60)}

1. One
2. Two

\`\`\`
${"code ".repeat(60)}
\`\`\`
`;

const temporary = temporaryDirectory();
let chromium: Chromium;
let hub: HubUnderTest;
beforeAll(async () => {
  if (missesChromium) return;
  hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_PUBLIC_CATALOG: "on" } });
  const publisher = await HubPublisher.register(hub, "Pixel Works");
  const app = path.join(temporary.path, "square");
  await newApp(app, "assemblyscript");
  for (const file of [
    (await buildApp(app)).package,
    await appPackage({ name: "long", description: "y".repeat(128) }, { icon: bitmap({ shade: 9 }) }),
    ...(await Promise.all(Array.from({ length: 26 }, (_, index) => appPackage({ name: `app${index}` })))),
  ])
    expect(await publisher.publish(file)).toMatchObject({ status: 201 });
  const put = (id: string, json: object) => publisher.request("PUT", `/catalog/${id}/page`, { json });
  await publisher.request("PUT", "/catalog/long", { json: { name: LONG } });
  await put("long", { about: LONG.repeat(9), source_url: `https://example.org/${"z".repeat(200)}` });
  await put("square", {
    about: ABOUT,
    category: "games",
    changelog: "- First",
    homepage_url: "https://example.org",
  });
  const form = screenshotsForm([smallPng(320, 240, 60), smallPng(1280, 100, 90)]);
  await publisher.request("PUT", "/catalog/square/screenshots", { form });
  chromium = await Chromium.launch();
});
afterAll(async () => {
  await chromium?.close();
  await hub?.stop();
  temporary.remove();
});

const PAGES = [
  "",
  "?category=games",
  "?q=app",
  "?sort=name&page=2",
  "?q=nothing",
  "square",
  "long",
  "absent",
];

async function withPage<Result>(
  options: BrowserContextOptions,
  use: (page: Page, complaints: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const context = await chromium.browser.newContext(options);
  try {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    return await use(page, complaints);
  } finally {
    await context.close();
  }
}

describe.skipIf(missesChromium)("The store's pages", () => {
  for (const colorScheme of ["light", "dark"] as const)
    test(`have no flaw that axe knows, in ${colorScheme} colours`, async () => {
      await withPage({ colorScheme }, async (page, complaints) => {
        for (const at of PAGES) {
          await page.goto(`${hub.origin}/store/${at}`);
          expect([at, await violations(page)]).toEqual([at, []]);
        }
        expect(complaints.filter((text) => !text.includes("404"))).toEqual([]); // of the page that is absent
      });
    });

  for (const width of [320, 768, 1920])
    test(`fit into ${width} pixels`, async () => {
      await withPage({ viewport: { width, height: 800 } }, async (page) => {
        for (const at of PAGES) {
          await page.goto(`${hub.origin}/store/${at}`);
          const scrolled = await page.evaluate(() => document.documentElement.scrollWidth);
          expect([at, scrolled]).toEqual([at, width]);
        }
      });
    });

  test("can be used by keyboard alone", async () => {
    await withPage({}, async (page) => {
      for (const at of ["", "square"]) {
        await page.goto(`${hub.origin}/store/${at}`);
        expect(await walkByKeyboard(page)).toEqual({ missed: [], unmarked: [] });
      }
    });
  });

  test("work without scripts, from the search to the package", async () => {
    await withPage({ javaScriptEnabled: false }, async (page, complaints) => {
      const requests: string[] = [];
      page.on("request", (request) => requests.push(new URL(request.url()).origin));
      await page.goto(`${hub.origin}/store/`);
      await page.getByRole("searchbox", { name: "Search apps" }).fill("square");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "square", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "square" }).waitFor();
      expect(await page.getByRole("img", { name: /Screenshot/ }).count()).toBe(2);
      await page.getByText("Draw on the display.").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "square 0.1.0" }).click();
      expect((await download).suggestedFilename()).toBe("square-0.1.0.svcpkg");
      expect(new Set(requests)).toEqual(new Set([hub.origin]));
      expect(complaints).toEqual([]);
    });
  });

  test("lead to the player, which plays the app without an account, and again after a reload", async () => {
    await withPage({}, async (page) => {
      await page.goto(`${hub.origin}/store/square`);
      await page.getByRole("link", { name: "Play in this browser" }).click();
      await page.getByRole("heading", { name: "square 0.1.0" }).waitFor();
      await page.getByText("Running").waitFor();
      await page.reload();
      await page.getByText("Running").waitFor();
      for (const [at, problem] of [
        ["absent", "The hub has no such app."],
        ["../x", "This address is not complete."],
      ]) {
        await page.goto("about:blank");
        await page.goto(`${hub.origin}/play/#store=${at}`);
        await page.getByText(`${problem}`).waitFor();
      }
    });
  });

  test("lead to the app in the web console, which offers it to a connected console without an account", async () => {
    await withPage({}, async (page) => {
      await page.goto(`${hub.origin}/store/square`);
      await page.getByRole("link", { name: "Install" }).click();
      await page.getByRole("heading", { level: 3, name: "square" }).waitFor();
      await page.getByRole("heading", { name: "On the connected console" }).waitFor();
      await page.getByRole("link", { name: "Connect a console" }).waitFor();
      expect(await page.getByRole("heading", { name: "Through the hub" }).count()).toBe(0);
      await page.getByRole("button", { name: "← All apps" }).click();
      await page.getByRole("button", { name: "Create an account" }).waitFor();
    });
  });
});
