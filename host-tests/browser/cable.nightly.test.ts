/**
 * What becomes of the cable: ports that are not chosen, are busy or lead somewhere else, a cable that comes out in the
 * middle of something. The browser's part in that is played; the console at the other end is a real one.
 */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from "vitest";
import { appPackage } from "../hub/catalog/hub-publisher.js";
import { greeter, signedFiles } from "./hosts/app-files.js";
import { missesChromium } from "./hosts/chromium.js";
import type { ConsolePage, ConsolePageOptions } from "./hosts/console-page.js";
import type { FakeSerial } from "./hosts/fake-serial.js";
import { logLines, shownAgain } from "./hosts/log-lines.js";
import { busyDevice, consoleAt, echoingDevice, modem, type SerialDevice } from "./hosts/serial-devices.js";
import { Stage } from "./hosts/stage.js";
import { until } from "./hosts/until.js";

const USB_BUTTON = "Connect by USB…";

describe.skipIf(missesChromium)("The cable of the web console", () => {
  let stage: Stage;
  /** Several hundred chunks long. */
  let largePackage: Uint8Array;
  beforeAll(async () => {
    stage = await Stage.start();
    largePackage = await appPackage({ name: "large" }, { noiseBytes: 600_000 });
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  /** The hosted page with a played port, in which `device` is plugged. */
  async function open(device: SerialDevice | undefined, options: ConsolePageOptions = {}) {
    const page = await stage.openHosted({ hasFakeSerial: true, ...options });
    const serial = page.serial as FakeSerial;
    if (device) await serial.plug(device);
    return { page, serial };
  }

  async function openConnected() {
    const opened = await open(consoleAt(stage.console.usb));
    await opened.page.button(USB_BUTTON).click();
    await opened.page.isConnected(/^Connected by cable/);
    return opened;
  }

  /** Has the page send a package, and calls `onChunk` before each chunk of it. */
  async function sendLarge(page: ConsolePage, serial: FakeSerial, onChunk: (number: number) => unknown) {
    serial.onWritten = async (text) => {
      const chunk = /"chunk":(\d+)/.exec(text)?.[1];
      if (chunk !== undefined) await onChunk(Number(chunk));
    };
    await page.go("Apps");
    await page.choose("Install app…", signedFiles("large", largePackage, stage.console.publisher));
    await page.page.getByRole("dialog").getByRole("button", { name: "Install", exact: true }).click();
  }

  test("is requested by a click, and an alert follows if no port is chosen", async () => {
    const { page, serial } = await open(consoleAt(stage.console.usb));
    assert.equal(serial.choosersShown, 0);
    serial.choice = "cancel";
    await page.button(USB_BUTTON).click();
    await page.says(/No port was chosen/);
    serial.choice = "choose";
    await page.button(USB_BUTTON).click();
    await page.isConnected(/^Connected by cable/);
    await page.close();
  });

  const STRANGERS = [
    {
      name: "a port that another program has open",
      device: busyDevice,
      says: /Another program or browser tab/,
    },
    { name: "a port that echoes", device: echoingDevice, says: /not a console/ },
    { name: "a modem", device: modem, says: /not a console|does not answer/ },
  ];
  for (const { name, device, says } of STRANGERS)
    test(`shows an alert for ${name}, and connects once it leads to a console`, async () => {
      const { page, serial } = await open(device);
      await page.button(USB_BUTTON).click();
      await page.says(says);
      await serial.unplug();
      await serial.plug(consoleAt(stage.console.usb));
      await page.button(USB_BUTTON).click();
      await page.isConnected(/^Connected by cable/);
      await page.close();
    });

  test("needs Web Serial, and the page names browsers that have it to those without", async () => {
    const prepare: ConsolePageOptions["prepare"] = (context) =>
      context.addInitScript(() => {
        Object.defineProperty(Navigator.prototype, "serial", { value: undefined });
      });
    const page = await stage.openHosted({ prepare });
    await page.says(/Chrome, Edge/);
    await page.close();
  });

  test("that is pulled during an upload installs nothing, until it is plugged in again and the file is sent again", async () => {
    const { page, serial } = await openConnected();
    let wasPulled = false;
    await sendLarge(page, serial, (chunk) => {
      if (chunk !== 100 || wasPulled) return;
      wasPulled = true;
      return serial.unplug();
    });
    await page.page
      .getByRole("dialog")
      .getByText(/The file is sent again/)
      .waitFor();
    assert.deepEqual(await stage.apps(), []);
    await serial.plug(consoleAt(stage.console.usb));
    await page.button("Start large").waitFor();
    await page.close();
  });

  test("that is plugged in again is found, and the log continues without a repeated line", async () => {
    const { page, serial } = await openConnected();
    const log = (await page.go("Logs")).getByRole("log");
    await log
      .getByText(/is ready: HTTP/)
      .first()
      .waitFor();
    await serial.unplug();
    await page.isConnected(/waiting/i);
    const file = await greeter("logged before the page listened", { name: "greeter" });
    await stage.install(file);
    await stage.act("start", "greeter");
    await serial.plug(consoleAt(stage.console.usb));
    await page.isConnected(/^Connected by cable/);
    await log.getByText("logged before the page listened").waitFor();
    assert.deepEqual(shownAgain(await logLines(log)), []);
    assert.equal(serial.choosersShown, 1, "The user was asked for the port again");
    await page.close();
  });

  test("is requested once: after a reload the page offers the granted port", async () => {
    const { page, serial } = await openConnected();
    await page.page.reload();
    await page.button(/^Reconnect/).click();
    await page.isConnected(/^Connected by cable/);
    assert.equal(serial.choosersShown, 1);
    await page.close();
  });

  test("carries an upload that can be cancelled, after which another one succeeds", async () => {
    const { page, serial } = await openConnected();
    let chunks = 0;
    let goOn = () => {};
    const isCancelled = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await sendLarge(page, serial, (chunk) => {
      chunks = chunk;
      return chunk === 50 ? isCancelled : undefined;
    });
    await until(
      async () => chunks,
      (count) => count === 50,
    );
    await page.button("Cancel").click();
    goOn();
    await page.says(/Cancelled/);
    assert.deepEqual(await stage.apps(), []);
    await until(
      async () => serial.timesOpened,
      (times) => times === 2,
    );
    await page.isConnected(/^Connected by cable/);
    await sendLarge(page, serial, () => {});
    await page.button("Start large").waitFor();
    await page.close();
  });

  test("reconnects to its own console alone: another one in its place causes an alert", async () => {
    const other = await Stage.startConsole();
    onTestFinished(async () => void (await other.stop()));
    const { page, serial } = await openConnected();
    await serial.unplug();
    await serial.plug(consoleAt(other.usb));
    await page.says(/another console/i);
    await serial.unplug();
    await serial.plug(consoleAt(stage.console.usb));
    await page.isConnected(/^Connected by cable/);
    await page.close();
  });
});
