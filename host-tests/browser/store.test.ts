/** The store of the web console, with a real hub: its catalogue, an account, and both ways to have an app. */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { DeviceRecord } from "../../protocol/hub/answers/devices.js";
import { bitmap } from "../hosts/bitmap.js";
import { appPackage } from "../hub/catalog/hub-publisher.js";
import { kindsInTier } from "../tier.js";
import { missesChromium, missesWebSerial } from "./hosts/chromium.js";
import { type ConsolePage, REFUSALS } from "./hosts/console-page.js";
import { Furnished } from "./hosts/furnished.js";
import { TRANSPORTS } from "./hosts/stage.js";
import { openStore } from "./hosts/store.js";

describe.skipIf(missesChromium)("The store of the web console", () => {
  let furnished: Furnished;
  beforeAll(async () => {
    furnished = await Furnished.start();
    for (const { name } of await furnished.stage.apps()) await furnished.stage.act("uninstall", name);
  });
  afterEach(({ task }) => furnished.stage.clear(task));
  afterAll(() => furnished?.end());

  const listed = (page: ConsolePage) =>
    page.page.getByRole("list", { name: "Apps of the hub" }).getByRole("heading", { level: 3 });

  test("lists and searches the apps of the console's hub", async () => {
    const page = await furnished.stage.openOverHttp();
    const store = await openStore(page);
    assert.deepEqual(
      (await listed(page).allTextContents()).map((text) => text.split(" ")[0]),
      ["bricks", "clock"],
    );
    await store.getByLabel("Search apps").fill("paddle");
    await store.getByText(/^1 app for/).waitFor();
    assert.equal(await listed(page).count(), 1);
    await store.getByLabel("Search apps").fill("no such app");
    await store.getByText("No app matches").waitFor();
    await page.close();
  });

  test("tells an account with more consoles than it lists how many there are", async () => {
    const page = await furnished.stage.openOverHttp();
    await page.page.route("**/account/devices?**", async (route) => {
      const from = (Number(new URL(route.request().url()).searchParams.get("page")) - 1) * 100;
      const devices = Array.from({ length: 100 }, (_, index) => ({
        device_id: `d${from + index}`,
        name: `Console ${from + index}`,
        mac: "02:00:00:00:00:01",
        arch: "esp32",
        firmware_version: "1.0.0",
        online: false,
        claimed: true,
        last_seen_at: null,
        status: null,
      })) satisfies DeviceRecord[];
      await route.fulfill({
        json: { total: 2500, page: 1, per_page: 100, devices },
        headers: { "access-control-allow-origin": "*" },
      });
    });
    const store = await openStore(page);
    await store.getByText("These are 1000 of your 2500 consoles.").first().waitFor();
    assert.equal(
      await store.getByRole("list", { name: "Consoles of the account" }).getByRole("listitem").count(),
      1000,
    );
    await page.close();
  });

  test("links to the hub's pages of fleets", async () => {
    const page = await furnished.stage.openOverHttp();
    const store = await openStore(page);
    const link = store.getByRole("link", { name: "Many consoles, rollouts and your team" });
    const [fleet] = await Promise.all([page.page.context().waitForEvent("page"), link.click()]);
    await fleet.getByRole("heading", { name: "Fleet" }).waitFor();
    assert.equal(fleet.url(), `${furnished.hub.origin}/fleet/`);
    await fleet.close();
    await page.close();
  });

  test("rejects an invalid token with an alert", async () => {
    const page = await furnished.stage.openOverHttp({ tolerates: [REFUSALS] });
    const store = await page.go("Store");
    await page.button("Create an account").waitFor();
    await store.getByLabel(/token of an account/).fill("not-a-token");
    await page.button("Sign in").click();
    await store.getByRole("alert").first().waitFor();
    await page.close();
  });

  test("shows the capabilities of an app's chosen version, not of the newest", async () => {
    const apps = [
      await appPackage(
        { name: "sneaky", version: "1.0.0", capabilities: ["network.use"] },
        { icon: bitmap() },
      ),
      await appPackage({ name: "sneaky", version: "2.0.0" }, { icon: bitmap() }),
    ];
    for (const file of apps) assert.equal((await furnished.user.publishApp(file)).status, 201);
    const page = await furnished.stage.openOverHttp();
    const store = await openStore(page);
    await store.getByRole("button", { name: "sneaky", exact: true }).click();
    await store.getByText("Needs no capabilities.").waitFor();
    await store.getByLabel("Version").selectOption("1.0.0");
    await store.getByRole("list", { name: "What it may do" }).getByText("Open network connections").waitFor();
    await furnished.user.publish("DELETE", "/catalog/sneaky");
    await page.close();
  });

  for (const { name: transport, missing, open } of kindsInTier(TRANSPORTS))
    test.skipIf(missing)(`installs an app on the connected console ${transport} after consent`, async () => {
      const page = await open(furnished.stage);
      const store = await openStore(page);
      await store.getByRole("button", { name: "bricks", exact: true }).click();
      await page.button("Install bricks here").click();
      const dialog = page.page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Install", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual(
        (await furnished.stage.apps()).map(({ name }) => name),
        ["bricks"],
      );
      await page.close();
    });

  test.skipIf(missesWebSerial)(
    "claims the console on the cable for the account, and has the hub install an app on it after consent",
    async () => {
      const page = await furnished.stage.openOverUsb();
      const store = await openStore(page);
      await page.button("Add the connected console").click();
      await store.getByRole("list", { name: "Consoles of the account" }).getByText("Console-1A2B").waitFor();
      await store.getByRole("button", { name: "clock", exact: true }).click();
      await page.button(/^Install it on/).click();
      const dialog = page.page.getByRole("dialog", { name: "Install clock 1.0.0 on Console-1A2B?" });
      await dialog.getByText("Draw on the display.").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await store.getByText("clock is not installed on Console-1A2B, as far as the hub knows.").waitFor();
      await page.button(/^Install it on/).click();
      await dialog.getByRole("button", { name: "Install", exact: true }).click();
      await store.getByText(/^clock 1.0.0 is installed on Console-1A2B/).waitFor();
      assert.deepEqual(
        (await furnished.stage.apps()).map(({ name }) => name),
        ["clock"],
      );
      await page.close();
    },
  );
});
