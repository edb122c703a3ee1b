/**
 * From a store's page to an app that runs: a visitor without an account, a console that has never heard of the hub, and the
 * web console that the hub serves (docs/spec/web-console.md#store-link).
 */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from "vitest";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { HubPublisher } from "../../hub/catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { violations, walkByKeyboard } from "../hosts/accessibility.js";
import { Chromium, missesChromium, missesWebSerial } from "../hosts/chromium.js";
import { ConsolePage, type ConsolePageOptions, REFUSALS } from "../hosts/console-page.js";
import { ExampleApps } from "../hosts/example-apps.js";
import { RecordingProxy } from "../hosts/recording-proxy.js";
import { until } from "../hosts/until.js";

/** Connects a console from the panel Connect. */
type Connect = (page: ConsolePage, console: FirmwareConsole) => Promise<unknown>;

const byCable: Connect = async (page, { usb }) => {
  await chromium.plug(usb);
  await page.button(/^Reconnect/).click();
};

const byAddress: Connect = async (page, { http }) => {
  const panel = await page.panel("Connect");
  await panel.getByLabel("Address").fill(http);
  await panel.getByRole("button", { name: "Connect", exact: true }).click();
};

const WAYS = [
  { name: "by its cable", missing: missesWebSerial, connect: byCable },
  { name: "by its address", missing: missesChromium, connect: byAddress },
];

/** For hub, console, app and browser, on a machine that runs all other tests at the same time. */
const START_LIMIT_MS = 600_000;

const THROUGH_PAGE = "The package goes through this page.";

let hub: HubUnderTest;
let publisher: HubPublisher;
let console: FirmwareConsole;
let chromium: Chromium;

function startConsole({ isStranger = false } = {}): Promise<FirmwareConsole> {
  const flags = ["--config", `CONFIG_SVC_HTTP_ALLOWED_ORIGINS=${hub.origin}`, "--mac", "02:00:00:00:1A:2B"];
  return startFirmwareConsole({ publisher: publisher.key, isStranger, flags });
}

const appsOf = ({ http }: FirmwareConsole): Promise<readonly AppEntry[]> => getJson(`${http}/api/apps/list`);

/** As a visitor, from the store's front page to the panel Connect of the web console. @param at address of the hub */
async function wantApp(options: ConsolePageOptions = {}, at = hub.origin): Promise<ConsolePage> {
  const page = await ConsolePage.open(chromium, `${at}/store/`, options);
  await page.page.getByRole("link", { name: "bricks", exact: true }).first().click();
  await page.page.getByRole("link", { name: "Install", exact: true }).click();
  await (await page.panel("Store")).getByRole("heading", { level: 3, name: "bricks" }).waitFor();
  await page.page.getByRole("link", { name: "Connect a console" }).click();
  await page.panel("Connect");
  return page;
}

describe.skipIf(missesChromium)("A visitor of the store, without an account", () => {
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_PUBLIC_CATALOG: "on" } });
    publisher = await HubPublisher.register(hub, "Pixel Works");
    const examples = await ExampleApps.build(publisher.key);
    const { status } = await publisher.publish(await examples.bytes("bricks"));
    examples.remove();
    assert.equal(status, 201);
    console = await startConsole();
    chromium = await Chromium.launch(missesWebSerial ? {} : { serialOrigins: [hub.origin] });
  }, START_LIMIT_MS);
  afterEach(async ({ task }) => {
    await chromium.closePages(task);
    for (const { name } of await appsOf(console))
      await askHttp(`${console.http}/api/apps/uninstall?name=${name}`, { method: "POST" });
  });
  afterAll(async () => {
    await chromium?.close();
    await console?.stop();
    await hub?.stop();
  });

  for (const { name, missing, connect } of WAYS)
    test.skipIf(missing)(
      `installs an app on a console connected ${name}, once agreed, and starts it`,
      async () => {
        const page = await wantApp();
        await connect(page, console);
        await page.says(`Console-1A2B does not have it. ${THROUGH_PAGE}`);

        const dialog = page.page.getByRole("dialog", { name: "Install bricks 1.0.0?" });
        await page.button("Install bricks here").click();
        await dialog.getByText("Draw on the display.").waitFor();
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await dialog.waitFor({ state: "detached" });
        assert.deepEqual(await appsOf(console), []);

        await page.button("Install bricks here").click();
        await dialog.getByRole("button", { name: "Install", exact: true }).click();
        await page.says(`Console-1A2B has 1.0.0. ${THROUGH_PAGE}`);
        assert.deepEqual(
          (await appsOf(console)).map((app) => [app.name, app.version, app.state]),
          [["bricks", "1.0.0", "stopped"]],
        );

        await page.button("Start bricks here").click();
        await page.says(`Console-1A2B has 1.0.0, which is running. ${THROUGH_PAGE}`);
        await until(
          () => appsOf(console),
          ([app]) => app?.state === "running" && app.foreground === true,
        );
        await page.button("Stop bricks here").click();
        await page.says(`Console-1A2B has 1.0.0. ${THROUGH_PAGE}`);

        const asked = page.requests.map((url) => new URL(url).pathname);
        assert.deepEqual(
          asked.filter((path) => path.startsWith("/api/v1/account")),
          [],
        );
        await page.close();
      },
    );

  test("reads the catalogue in the web console, where an account is offered beside it", async () => {
    const page = await ConsolePage.open(chromium, `${hub.origin}/#store`);
    const panel = await page.panel("Store");
    await panel.getByRole("list", { name: "Apps of the hub" }).getByText("bricks").waitFor();
    await panel.getByRole("button", { name: "Create an account" }).waitFor();
    await panel.getByLabel("Search apps").fill("no such app");
    await panel.getByText("No app matches").waitFor();
    await page.close();
  });

  test("does all of it by keyboard, and comes back to the app after a reload, too", async () => {
    const page = await wantApp();
    await page.page.reload();
    const panel = await page.panel("Connect");
    await panel.getByLabel("Address").fill(console.http);
    await page.page.keyboard.press("Enter");
    const focused = page.page.locator(":focus");
    await page.page.getByRole("heading", { level: 3, name: "bricks" }).and(focused).waitFor();
    assert.deepEqual(await violations(page.page), []);

    await page.button("Install bricks here").press("Enter");
    const dialog = page.page.getByRole("dialog", { name: "Install bricks 1.0.0?" });
    await dialog.getByRole("button", { name: "Install", exact: true }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.button("Start bricks here").press("Enter");
    await page.button("Stop bricks here").and(focused).waitFor();
    assert.deepEqual(await violations(page.page), []);
    assert.deepEqual(await walkByKeyboard(page.page), { missed: [], unmarked: [] });
    await page.close();
  });

  test("comes to the app where a proxy has the hub below a path", async () => {
    const proxy = await RecordingProxy.start(hub.origin, "/hub");
    onTestFinished(() => proxy.close());
    const page = await wantApp({}, `${proxy.origin}/hub`);
    assert.ok(proxy.asked.some(({ url, status }) => url === "/hub/api/v1/catalog/bricks" && status === 200));
    await page.close();
  });

  test("reads why a console does not install what it does not trust", async () => {
    const stranger = await startConsole({ isStranger: true });
    onTestFinished(async () => void (await stranger.stop()));
    const page = await wantApp({ tolerates: [REFUSALS] });
    await byAddress(page, stranger);
    await page.button("Install bricks here").click();
    const dialog = page.page.getByRole("dialog", { name: "Install bricks 1.0.0?" });
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await dialog
      .getByRole("alert")
      .getByText(/this console does not trust its key/)
      .waitFor();
    assert.deepEqual(await appsOf(stranger), []);
    await page.close();
  });
});
