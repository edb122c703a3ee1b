/** Uploads that the user leaves, cancels or hides: their outcome, and what the page reports. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from "vitest";
import { firmwareBundle } from "../hosts/firmware-files.js";
import { Publisher } from "../hosts/publisher.js";
import { appPackage } from "../hub/catalog/hub-publisher.js";
import { kindsInTier } from "../tier.js";
import { type ChosenFile, chosen, greeter, signedFiles } from "./hosts/app-files.js";
import { missesChromium } from "./hosts/chromium.js";
import { type ConsolePage, LOST_CONNECTIONS, REFUSALS } from "./hosts/console-page.js";
import type { FakeSerial } from "./hosts/fake-serial.js";
import { consoleAt } from "./hosts/serial-devices.js";
import { Stage } from "./hosts/stage.js";
import { until } from "./hosts/until.js";

const ABORTED = /net::ERR_ABORTED/;
const VERSION = "0.5.0";

describe.skipIf(missesChromium)("An upload in the web console", () => {
  let stage: Stage;
  let firmware: ChosenFile[];
  let foreignFirmware: ChosenFile[];
  let app: ChosenFile[];
  /** Enough for the cable, over which the large one takes 15 seconds. */
  let smallApp: ChosenFile[];
  beforeAll(async () => {
    stage = await Stage.start();
    const bundleBy = async (publisher: Publisher) => [
      chosen("new.svcfw", await firmwareBundle({ version: VERSION }, publisher)),
    ];
    firmware = await bundleBy(stage.console.publisher);
    foreignFirmware = await bundleBy(new Publisher());
    const appOf = async (noiseBytes: number) =>
      signedFiles("large", await appPackage({ name: "large" }, { noiseBytes }), stage.console.publisher);
    app = await appOf(600_000);
    smallApp = await appOf(100_000);
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  /** Sends firmware, or as much of it as goes. @returns the panel */
  async function sendFirmware(page: ConsolePage, files: ChosenFile[]): Promise<Locator> {
    const panel = await page.go("Firmware");
    await page.choose("Upload firmware…", files);
    await page.button("Upload").click();
    await underWay(panel).waitFor();
    return panel;
  }

  /** Sends an app, or as much of it as goes. @returns the dialog */
  async function sendApp(page: ConsolePage, files = app): Promise<Locator> {
    await page.go("Apps");
    await page.choose("Install app…", files);
    const dialog = page.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await underWay(dialog).waitFor();
    return dialog;
  }

  async function openByPlayedCable(): Promise<{ page: ConsolePage; serial: FakeSerial }> {
    const page = await stage.openHosted({ hasFakeSerial: true });
    const serial = page.serial as FakeSerial;
    await serial.plug(consoleAt(stage.console.usb));
    await page.connectUsb();
    return { page, serial };
  }

  const SLOW_TRANSPORTS = [
    {
      transport: "over HTTP",
      open: async () => {
        const page = await stage.openOverHttp({ tolerates: [ABORTED] });
        await slowDown(page);
        return { page, goOn: () => {} };
      },
    },
    {
      transport: "over USB",
      open: async () => {
        const { page, serial } = await openByPlayedCable();
        return { page, goOn: holdChunk(serial, (chunk) => chunk === 20) };
      },
    },
  ];
  for (const { transport, open } of kindsInTier(SLOW_TRANSPORTS)) {
    test(`of firmware ${transport} continues while another panel is shown, and can be cancelled after that`, async () => {
      const { page, goOn } = await open();
      await sendFirmware(page, firmware);
      await page.go("Logs");
      const panel = await page.go("Firmware");
      await underWay(panel).waitFor();
      await panel.getByText("Sending new.svcfw").waitFor();
      assert.equal(await panel.getByText("The console is receiving firmware").count(), 0);
      await page.button("Cancel").click();
      goOn();
      await page.says(`Cancelled: upload firmware ${VERSION}`);
      await page.button("Upload firmware…").waitFor();
      await until(
        () => stage.console.ota(),
        ({ state }) => state === "idle",
      );
      await page.close();
    });

    test(`of an app ${transport} is cancelled with a notice when its panel is left`, async () => {
      const { page, goOn } = await open();
      await page.go("Device");
      await sendApp(page);
      await page.page.goBack();
      goOn();
      await page.panel("Device");
      await page.says("Cancelled: install large");
      assert.deepEqual(await stage.apps(), []);
      await page.close();
    });
  }

  test("over HTTP makes the browser ask before the page is left, and is sent again if its connection breaks", async () => {
    const page = await stage.openOverHttp({ tolerates: [LOST_CONNECTIONS] });
    const session = await page.page.context().newCDPSession(page.page);
    const paused = new Promise<string>((resolve) => {
      session.once("Fetch.requestPaused", ({ requestId }) => resolve(requestId));
    });
    await session.send("Fetch.enable", { patterns: [{ urlPattern: "*/api/apps/install*" }] });
    const dialog = await sendApp(page, smallApp);
    const asked = page.page.waitForEvent("dialog");
    await page.page.evaluate(() => void setTimeout(() => location.reload())); // which the user does not want
    const question = await asked;
    assert.equal(question.type(), "beforeunload");
    await question.dismiss();
    await session.send("Fetch.failRequest", { requestId: await paused, errorReason: "ConnectionReset" });
    await session.send("Fetch.disable");
    await dialog.getByText(/The file is sent again/).waitFor();
    await page.button("Start large").waitFor();
    await page.close();
  });

  test("that is rejected while another panel is shown causes a notice", async () => {
    const page = await stage.openOverHttp({ tolerates: [REFUSALS] });
    const release = await holdAnswers(page, "*/api/ota/upload*");
    await sendFirmware(page, foreignFirmware);
    await page.go("Logs");
    await release();
    const notices = page.page.getByRole("status", { name: "Notices" });
    await notices.getByText(/does not trust its key/).waitFor();
    await page.close();
  });

  test("that is rejected while a dialog is open causes a notice in it, which leaves its buttons free", async () => {
    const page = await stage.openOverHttp({ tolerates: [REFUSALS], width: 390, height: 500 });
    const release = await holdAnswers(page, "*/api/ota/upload*");
    await sendFirmware(page, foreignFirmware);
    await page.go("Apps");
    await page.choose("Install app…", smallApp);
    const dialog = page.page.getByRole("dialog");
    const cancel = dialog.getByRole("button", { name: "Cancel" });
    await cancel.waitFor();
    await release();
    await dialog
      .getByRole("status", { name: "Notices" })
      .getByText(/does not trust its key/)
      .waitFor();
    const [notice, button] = await Promise.all([
      dialog.locator(".notice").boundingBox(),
      cancel.boundingBox(),
    ]);
    assert.ok(notice && button && notice.y + notice.height <= button.y);
    await cancel.click();
    await dialog.waitFor({ state: "detached" });
    await page.close();
  });

  test("of firmware cannot be cancelled once completely sent", async () => {
    const page = await stage.openOverHttp({ tolerates: [REFUSALS] });
    const release = await holdAnswers(page, "*/api/ota/upload*");
    const panel = await sendFirmware(page, foreignFirmware);
    await panel.getByText(/^Upload complete/).waitFor();
    assert.equal(await page.button("Cancel").count(), 0);
    await release();
    await panel.getByText(/does not trust its key/).waitFor();
    await page.close();
  });

  test("of an app over HTTP cannot be cancelled once completely sent, and ends with a notice after its dialog is closed", async () => {
    const page = await stage.openOverHttp();
    const release = await holdAnswers(page, "*/api/apps/install*");
    const dialog = await sendApp(page);
    await dialog.getByText(/^Upload complete/).waitFor();
    assert.equal(await page.button("Cancel").count(), 0);
    await page.button("Close").click();
    await dialog.waitFor({ state: "detached" });
    await release();
    await page.says(/^large .+ is installed$/);
    await page.button("Start large").waitFor();
    await page.close();
  });

  test("of an app over USB cannot be cancelled once completely sent", async () => {
    const { page, serial } = await openByPlayedCable();
    const goOn = holdChunk(serial, (chunk, total) => chunk === total);
    const dialog = await sendApp(page, smallApp);
    await dialog.getByText(/^Upload complete/).waitFor();
    assert.equal(await page.button("Cancel").count(), 0);
    goOn();
    await page.button("Start large").waitFor();
    await page.close();
  });

  test("to a console that does not answer does not start, and its dialog shows the reason", async () => {
    const { pid } = stage.console;
    const page = await stage.openOverHttp({ tolerates: [LOST_CONNECTIONS] });
    await page.go("Apps");
    await page.choose(
      "Install app…",
      signedFiles("greeter", await greeter("unheard"), stage.console.publisher),
    );
    const dialog = page.page.getByRole("dialog");
    await dialog.waitFor();
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    await page.says(/^Not answering/);
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await dialog
      .getByRole("alert")
      .getByText(/is not answering/)
      .waitFor();
    process.kill(pid, "SIGCONT");
    await page.isConnected(/^Connected/);
    await page.close();
  });

  test("of firmware keeps the focus in the panel, from the choice of a file to the confirmation", async () => {
    const page = await stage.openOverHttp({ tolerates: [LOST_CONNECTIONS] });
    const hasFocus = (heading: string | RegExp) =>
      page.page.locator("h3:focus").filter({ hasText: heading }).waitFor();
    const press = async (name: string) => {
      await page.button(name).focus();
      await page.page.keyboard.press("Enter");
    };
    await page.go("Firmware");
    await page.choose("Upload firmware…", firmware);
    await hasFocus("Upload");
    await press("Cancel");
    await page.button("Upload firmware…").waitFor();
    await hasFocus("Upload");
    await page.choose("Upload firmware…", firmware);
    await press("Upload");
    await page.button("Restart into it").waitFor();
    await hasFocus("Upload");
    await press("Restart into it");
    await page.button("Confirm").waitFor();
    await hasFocus(`Firmware ${VERSION} is on trial`);
    await press("Confirm");
    await page.says(/was tried and confirmed/);
    await hasFocus("Running");
    await page.close();
  }, 120_000);
});

/** The bar of a file that the page sends. */
function underWay(place: Locator): Locator {
  return place.getByRole("progressbar", { name: /^Sending/ });
}

/** As slow as a network that is far away. */
async function slowDown({ page }: ConsolePage): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 10_000,
  });
}

/** The console gets the page's requests there, but the page gets no answer until the returned function is called. */
async function holdAnswers({ page }: ConsolePage, urlPattern: string): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const answered = new Promise<string>((resolve) => {
    session.once("Fetch.requestPaused", ({ requestId }) => resolve(requestId));
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern, requestStage: "Response" }] });
  return async () => void (await session.send("Fetch.continueRequest", { requestId: await answered }));
}

/** Keeps one chunk of a file, and all after it, until the returned function is called. */
function holdChunk(serial: FakeSerial, isHeld: (chunk: number, total: number) => boolean): () => void {
  let goOn = () => {};
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  serial.onWritten = async (text) => {
    const [, chunk, total] = /"chunk":(\d+),"total":(\d+)/.exec(text) ?? [];
    if (chunk !== undefined && isHeld(Number(chunk), Number(total))) await released;
  };
  return goOn;
}
