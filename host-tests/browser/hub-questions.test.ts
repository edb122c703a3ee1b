/** What a hub orders, on the cards that ask the user (docs/spec/web-console.md#page-questions). */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { HubMessage } from "../../protocol/hub/push-messages.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { SmallHub } from "../hosts/small-hub.js";
import { overUsb } from "../hosts/usb-client.js";
import { violations } from "./hosts/accessibility.js";
import { missesChromium } from "./hosts/chromium.js";
import { REFUSALS } from "./hosts/console-page.js";
import { Stage } from "./hosts/stage.js";

describe.skipIf(missesChromium)("The questions of a hub", () => {
  let hub: SmallHub;
  let stage: Stage;
  let order: HubMessage;
  beforeAll(async () => {
    hub = await SmallHub.start();
    stage = await Stage.start({ flags: ["--hub", hub.url] });
    await hub.receive("device.status");
    await byCable("POST", "/api/settings", { updates: "ask_all" });
    const bytes = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'), {});
    const download_url = hub.serve("/tetris", { bytes, signature: stage.console.publisher.sign(bytes) });
    const facts = { download_url, size_bytes: bytes.length, publisher: "Example" };
    order = { type: "app.install", command_id: "one", app_id: "tetris", version: "1.0.0", ...facts };
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(async () => {
    await stage?.end();
    await hub?.close();
  });

  /** Over the cable, whose holder owns the console. */
  const byCable = (method: string, at: string, params: Record<string, string> = {}) =>
    overUsb(stage.console, (usb) => usb.request(method, at, params));

  test("are answered by the owner, and go when they are answered elsewhere", async () => {
    const page = await stage.openOverHttp({ tolerates: [REFUSALS] });
    const panel = await page.go("Firmware");
    const card = (name: string) => panel.getByRole("region", { name, exact: true });
    const install = card("The hub wants to install tetris 1.0.0");
    await card("Running").waitFor();
    assert.equal(await panel.getByRole("button", { name: /^Refuse/ }).count(), 0);

    hub.send(order);
    await install.getByText("Example").waitFor();
    assert.deepEqual(await violations(page.page), []);
    await install.getByRole("button", { name: "Refuse tetris 1.0.0" }).click();
    await page.says(/requires its token for this/);

    const { token } = (await byCable("GET", "/api/auth/token")).body;
    await page.connectTo(stage.console.http, token);
    await page.isConnected(/^Connected/);
    await page.go("Firmware");
    await install.getByRole("button", { name: "Install tetris 1.0.0" }).click();
    await install.waitFor({ state: "detached" });
    await hub.receive("app.install.result", ({ success }) => success);

    hub.send({ type: "app.uninstall", command_id: "two", app_id: "tetris" });
    const uninstall = card("The hub wants to uninstall tetris");
    await uninstall.getByRole("button", { name: "Uninstall tetris" }).click();
    await page.page.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }).click();
    await byCable("POST", "/api/hub/questions", { id: "uninstall-two", accept: "false" });
    await uninstall.waitFor({ state: "detached" });
    assert.deepEqual(
      (await stage.apps()).map(({ name }) => name),
      ["tetris"],
    );
    await page.close();
  });
});
