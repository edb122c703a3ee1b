/** *Play* in the store of a hub: an app runs in a page that has neither the account's token nor the store (docs/spec/web-player.md#play). */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { newApp } from "../../../sdk/new-app.js";
import { HubUser } from "../../device/hub/hub-user.js";
import { moduleOf } from "../../hosts/app-files.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { imageOf, imagePackage } from "../../unit/services/apps/native-images.js";
import { violations } from "../hosts/accessibility.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";

const temporary = temporaryDirectory();
let chromium: Chromium;
let hub: HubUnderTest;
beforeAll(async () => {
  if (missesChromium) return;
  hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_PUBLIC_CATALOG: "on" } });
  const user = await HubUser.on(hub);
  const app = path.join(temporary.path, "square");
  await newApp(app, "assemblyscript");
  expect(await user.publishApp((await buildApp(app)).package)).toMatchObject({ status: 201 });
  const image = imageOf(await moduleOf('(module (func (export "main")))'));
  expect(await user.publishApp(imagePackage(image, { name: "fast" }))).toMatchObject({ status: 201 });
  chromium = await Chromium.launch();
});
afterAll(async () => {
  await chromium?.close();
  await hub?.stop();
  temporary.remove();
});

describe.skipIf(missesChromium)("The store of a hub", () => {
  test("plays an app in a page of its own, which gets the package alone", async () => {
    const context = await chromium.browser.newContext();
    const store = await context.newPage();
    const requests: string[] = [];
    context.on("request", (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined)
        requests.push(`${request.frame().url()} ${new URL(request.url()).pathname}`);
    });
    await store.goto(`${hub.origin}/#store`);
    await store.getByRole("button", { name: "Create an account" }).click();
    await store.getByRole("button", { name: "square", exact: true }).click();
    const opened = context.waitForEvent("page");
    await store.getByRole("button", { name: "Play square" }).click();
    const player = await opened;
    await player.getByRole("heading", { name: "square 0.1.0" }).waitFor();
    await player.getByText("Running").waitFor();
    expect(await violations(player)).toEqual([]);
    expect(requests.filter((request) => request.includes("/play/"))).toEqual([]);
    expect(requests.some((request) => request.includes("/download"))).toBe(true);
    expect(await player.evaluate(() => [window.opener, crossOriginIsolated])).toEqual([null, true]);
    await player.getByRole("application").focus();
    await player.keyboard.press("Shift", { delay: 200 });
    await player.getByText("The app has ended with code 0").waitFor();
    await player.reload();
    await player.getByText("Running").waitFor(); // the store's page hands it over again
    await context.close();
  });

  test("offers no play of machine code alone, and the player refuses it by its address", async () => {
    const context = await chromium.browser.newContext();
    const store = await context.newPage();
    await store.goto(`${hub.origin}/#store`);
    await store.getByRole("button", { name: "Create an account" }).click();
    await store.getByRole("button", { name: "fast", exact: true }).click();
    await store
      .getByText("This version is for consoles of the architecture native alone. A browser cannot run it.")
      .waitFor();
    expect(await store.getByRole("button", { name: "Play fast" }).count()).toBe(0);
    expect(await violations(store)).toEqual([]);
    const player = await context.newPage();
    await player.goto(`${hub.origin}/play/#store=fast`);
    await player
      .getByText('The app is machine code for "native" alone, and a browser runs only modules')
      .waitFor();
    await context.close();
  });

  test("serves the player isolated, with a policy that loads nothing else, and refuses an address of no app", async () => {
    for (const [file, policy] of [
      [
        "",
        /^default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src data:; connect-src 'self'/,
      ],
      ["app-worker.js", /^default-src 'none'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'$/],
    ] as const) {
      const { headers, status } = await fetch(`${hub.origin}/play/${file}`);
      expect([
        status,
        headers.get("cross-origin-opener-policy"),
        headers.get("cross-origin-embedder-policy"),
      ]).toEqual([...[200, "same-origin", "require-corp"]]);
      expect(headers.get("content-security-policy")).toMatch(policy);
    }
    const page = await chromium.browser.newPage();
    await page.goto(`${hub.origin}/play/#app=nonsense`);
    await page.getByText("This address is not complete.").waitFor();
    await page.context().close();
  });
});
