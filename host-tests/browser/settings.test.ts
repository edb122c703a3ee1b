/** What a user chooses on a console, and its factory reset, on the Device panel (docs/spec/web-console.md#page-settings). */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { getJson } from "../hosts/http-client.js";
import { overUsb } from "../hosts/usb-client.js";
import { violations } from "./hosts/accessibility.js";
import { missesChromium } from "./hosts/chromium.js";
import { LOST_CONNECTIONS, REFUSALS } from "./hosts/console-page.js";
import { Stage } from "./hosts/stage.js";
import { until } from "./hosts/until.js";

describe.skipIf(missesChromium)("The settings of a console", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
    const module = await moduleOf('(module (func (export "main")))');
    await stage.install(packageOf(module, { name: "bricks" }));
  });
  afterEach(({ task }) => stage.chromium.closePages(task));
  afterAll(() => stage?.end());

  const settings = () => getJson(`${stage.console.http}/api/settings`);

  test("are shown to everyone, and locked without the token", async () => {
    const page = await stage.openOverHttp();
    const card = (await page.go("Device")).getByRole("region", { name: "Settings", exact: true });
    const brightness = card.getByLabel("Brightness of the display");
    await brightness.waitFor();
    assert.equal(await brightness.inputValue(), "100");
    assert.equal(await brightness.isDisabled(), true);
    assert.equal(await card.getByRole("button", { name: "Factory reset…" }).isDisabled(), true);
    await card.getByText(/by cable, or with its token/).waitFor();
    await page.close();
  });

  test("are changed with the token, follow changes made elsewhere, and a factory reset deletes them", async () => {
    const { token } = await overUsb(stage.console, async (usb) => {
      return (await usb.request("GET", "/api/auth/token")).body;
    });
    const page = await stage.openOverHttp({ tolerates: [LOST_CONNECTIONS, REFUSALS] });
    await page.connectTo(stage.console.http, token);
    await page.isConnected(/^Connected/);
    const panel = await page.go("Device");
    const card = panel.getByRole("region", { name: "Settings", exact: true });
    await card.getByLabel("Brightness of the display").selectOption("60");
    await card.getByLabel("Display goes dark after").selectOption({ label: "5 min" });
    await card.getByLabel("App that starts with the console").selectOption("bricks");
    await card.getByLabel("What a hub orders").selectOption({ label: "Ask before firmware and apps" });
    await until(settings, ({ updates }) => updates === "ask_all");
    assert.deepEqual(await settings(), {
      start_app: "bricks",
      brightness_percent: 60,
      sleep_after_s: 300,
      updates: "ask_all",
      utc_offset: "+00:00",
    });
    assert.deepEqual(await violations(page.page), []);

    await overUsb(stage.console, (usb) => usb.request("POST", "/api/settings", { brightness_percent: "35" }));
    await until(
      () => card.getByLabel("Brightness of the display").inputValue(),
      (value) => value === "35",
    );

    await page.button("Restart…").click();
    const dialog = page.page.getByRole("dialog");
    await dialog.getByText(/Then bricks is started/).waitFor();
    await page.page.keyboard.press("Escape");
    const from = stage.console.stderr.length;
    await card.getByRole("button", { name: "Factory reset…" }).click();
    assert.deepEqual(await violations(page.page), []);
    await dialog.getByRole("button", { name: "Delete everything", exact: true }).click();
    await stage.console.started("software", from);
    assert.deepEqual(await stage.apps(), []);
    assert.equal((await settings()).brightness_percent, 100);
    await page.isConnected(/^Connected/);
    await page.close();
  });
});
