/**
 * What the web console relies on in a serial port of the browser, on Chromium's own and on the one that tests play: what
 * holds for the first, holds for the second, or tests with it would say nothing.
 */
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Console, startConsole } from "../hosts/simulator.js";
import { Chromium, missesChromium, missesWebSerial } from "./hosts/chromium.js";
import { FakeSerial } from "./hosts/fake-serial.js";
import { PageServer } from "./hosts/page-server.js";
import { consoleAt } from "./hosts/serial-devices.js";

/** What the page does with the port that it has been granted, run there. */
interface SerialPortInPage {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  open(options: { baudRate: number }): Promise<void>;
  close(): Promise<void>;
}

const STATUS_REQUEST = '{"jsonrpc":"2.0","id":7,"method":"GET","path":"/api/status"}\n';

/** Asks for the status, and answers with the first line that comes back. */
async function askStatus(request: string): Promise<string> {
  const [port] = await (
    navigator as unknown as { serial: { getPorts(): Promise<SerialPortInPage[]> } }
  ).serial.getPorts();
  await port?.open({ baudRate: 115200 });
  const writer = port?.writable?.getWriter();
  await writer?.write(new TextEncoder().encode(request));
  writer?.releaseLock();
  const reader = port?.readable?.getReader();
  let text = "";
  while (!text.includes("\n")) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  reader?.releaseLock();
  await port?.close();
  return text.slice(0, text.indexOf("\n"));
}

/** The errors of wrong use of a port, by call. */
async function misuse(): Promise<Record<string, string>> {
  const [port] = await (
    navigator as unknown as { serial: { getPorts(): Promise<SerialPortInPage[]> } }
  ).serial.getPorts();
  const said: Record<string, string> = {};
  const attempt = async (what: string, work: () => Promise<void> | undefined) => {
    said[what] = await Promise.resolve(work()).then(
      () => "done",
      (error: Error) => `${error.name}: ${error.message.replace(/^.*: /, "")}`,
    );
  };
  await attempt("close first", () => port?.close());
  await attempt("open", () => port?.open({ baudRate: 115200 }));
  await attempt("open again", () => port?.open({ baudRate: 115200 }));
  const reader = port?.readable?.getReader();
  await attempt("close while it is read", () => port?.close());
  reader?.releaseLock();
  await attempt("close", () => port?.close());
  return said;
}

/** Reads until the port is lost, and returns the outcome. */
async function readToTheEnd(): Promise<Record<string, unknown>> {
  const [port] = await (
    navigator as unknown as { serial: { getPorts(): Promise<SerialPortInPage[]> } }
  ).serial.getPorts();
  await port?.open({ baudRate: 115200 });
  const reader = port?.readable?.getReader();
  document.title = "open";
  const end = await (async () => {
    for (;;) if ((await reader?.read())?.done) return "end";
  })().catch((error: Error) => `${error.name}: ${error.message}`);
  const closing = await port?.close().then(
    () => "done",
    (error: Error) => error.name,
  );
  return { end, readable: port?.readable, writable: port?.writable, closing };
}

interface Kind {
  readonly name: string;
  readonly missing: boolean;
  readonly isFake: boolean;
}

const KINDS: readonly Kind[] = [
  { name: "Chromium's own serial port", missing: missesWebSerial, isFake: false },
  { name: "the emulated serial port of the tests", missing: missesChromium, isFake: true },
];

for (const { name, missing, isFake } of KINDS)
  describe.skipIf(missing)(name, () => {
    let server: PageServer;
    let chromium: Chromium;
    let simulated: Console;

    beforeAll(async () => {
      server = await PageServer.ofPage("<!doctype html><title>blank</title><button>Choose</button>");
      chromium = await Chromium.launch(isFake ? {} : { serialOrigins: [server.origin] });
      simulated = await startConsole();
    });
    afterAll(async () => {
      await chromium?.close();
      await server?.close();
      await simulated?.stop();
    });

    /** A page that has been granted the console's port, and how its cable is pulled. */
    async function openPage() {
      const context = await chromium.browser.newContext();
      if (!isFake) await chromium.plug(simulated.usb);
      const serial = isFake ? await FakeSerial.install(context) : undefined;
      const page = await context.newPage();
      await page.goto(server.origin);
      await serial?.plug(consoleAt(simulated.usb));
      if (serial) {
        const chosen = page.evaluate(() =>
          new Promise((resolve) => document.querySelector("button")?.addEventListener("click", resolve)).then(
            () =>
              (navigator as unknown as { serial: { requestPort(): Promise<void> } }).serial
                .requestPort()
                .then(() => {}),
          ),
        );
        await page.getByRole("button").click();
        await chosen;
      }
      return { page, unplug: async () => (serial ? serial.unplug() : void (await simulated.kill())) };
    }

    test("carries a request to the console, and its answer back", async () => {
      const { page } = await openPage();
      const answer = JSON.parse(await page.evaluate(askStatus, STATUS_REQUEST));
      assert.equal(answer.id, 7);
      assert.equal(answer.status, 200);
      await page.context().close();
    });

    test("rejects wrong use with the errors of Web Serial", async () => {
      const { page } = await openPage();
      assert.deepEqual(await page.evaluate(misuse), {
        "close first": "InvalidStateError: The port is already closed.",
        open: "done",
        "open again": "InvalidStateError: The port is already open.",
        "close while it is read": "TypeError: Cannot cancel a locked stream",
        close: "done",
      });
      await page.context().close();
    });

    test("ends reading in NetworkError when the cable is pulled", async () => {
      const { page, unplug } = await openPage();
      const reading = page.evaluate(readToTheEnd);
      await page.waitForFunction(() => document.title === "open");
      await unplug();
      assert.deepEqual(await reading, {
        end: "NetworkError: The device has been lost.",
        readable: null,
        writable: null,
        closing: "done",
      });
      await page.context().close();
    });
  });
