/** Interruptions: a user who cancels an upload over HTTP, and a console that is switched off. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CDPSession } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { type Console, startConsole } from "../hosts/simulator.js";
import { appPackage } from "../hub/catalog/hub-publisher.js";
import { kindsInTier } from "../tier.js";
import { signedFiles } from "./hosts/app-files.js";
import { Chromium, missesChromium, missesWebSerial } from "./hosts/chromium.js";
import { ConsolePage, LOST_CONNECTIONS, REFUSALS } from "./hosts/console-page.js";
import { PageServer } from "./hosts/page-server.js";
import { Stage } from "./hosts/stage.js";

describe.skipIf(missesChromium)("An upload over HTTP", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  /** As slow as a distant network, until the returned object is detached. */
  async function limitUploads({ page }: ConsolePage, bytesPerSecond: number): Promise<CDPSession> {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    });
    return session;
  }

  test("shows its progress, can be cancelled, and can be started again", async () => {
    const file = await appPackage({ name: "large" }, { noiseBytes: 600_000 });
    const files = signedFiles("large", file, stage.console.publisher);
    const page = await stage.openOverHttp({ tolerates: [/net::ERR_ABORTED/] });
    await page.go("Apps");
    const limit = await limitUploads(page, 20_000);
    const dialog = page.page.getByRole("dialog");
    const install = dialog.getByRole("button", { name: "Install", exact: true });
    await page.choose("Install app…", files);
    await install.click();
    await dialog.locator("[role=progressbar]:not([aria-valuenow='0'])").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.says(/Cancelled/);
    assert.deepEqual(await stage.apps(), []);
    await limit.detach();
    await page.choose("Install app…", files);
    await install.click();
    await page.button("Start large").waitFor();
    await page.close();
  });
});

const TRANSPORTS = [
  { name: "over USB", missing: missesWebSerial, isUsb: true },
  { name: "over HTTP", missing: missesChromium, isUsb: false },
];
for (const { name, missing, isUsb } of kindsInTier(TRANSPORTS))
  describe.skipIf(missing)(`A console that is switched off ${name}`, () => {
    let host: PageServer;
    let chromium: Chromium;
    let running: Console;
    const state = mkdtempSync(path.join(tmpdir(), "console-"));
    beforeAll(async () => {
      host = await PageServer.ofConsole();
      running = await startConsole({ state });
      chromium = await Chromium.launch(isUsb ? { serialOrigins: [host.origin] } : {});
    });
    afterEach(({ task }) => chromium.closePages(task));
    afterAll(async () => {
      await chromium?.close();
      await running?.stop();
      await host?.close();
      rmSync(state, { recursive: true, force: true });
    });

    async function open(): Promise<ConsolePage> {
      const tolerates = [LOST_CONNECTIONS, REFUSALS];
      if (!isUsb) return ConsolePage.open(chromium, running.http, { tolerates });
      await chromium.plug(running.usb);
      const page = await ConsolePage.open(chromium, `${host.origin}/#connect`, { tolerates });
      await page.button(/^Reconnect/).click();
      return page;
    }

    test("is waited for, and found again once it is switched on", async () => {
      const page = await open();
      await page.isConnected(/^Connected/);
      await running.kill();
      if (isUsb) await chromium.unplug();
      await page.isConnected(/waiting/);
      const ports = [new URL(running.http).port, new URL(running.ws).port];
      running = await startConsole({
        state,
        flags: ["--http-port", `${ports[0]}`, "--ws-port", `${ports[1]}`],
      });
      if (isUsb) await chromium.plug(running.usb);
      await page.isConnected(/^Connected/);
      const log = (await page.go("Logs")).getByRole("log");
      await log
        .getByText(/is ready: HTTP/)
        .last()
        .waitFor();
      await page.close();
    });
  });
