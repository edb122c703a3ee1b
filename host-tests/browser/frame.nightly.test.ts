/** The frame around the panels: its header, notices and navigation, and when scripts load. */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from "vitest";
import { UsbClient } from "../hosts/usb-client.js";
import { missesChromium } from "./hosts/chromium.js";
import { ConsolePage, LOST_CONNECTIONS, REFUSALS } from "./hosts/console-page.js";
import type { FakeSerial } from "./hosts/fake-serial.js";
import { consoleAt, deviceThat } from "./hosts/serial-devices.js";
import { Stage } from "./hosts/stage.js";

const GROUNDS = { light: "rgb(244, 240, 232)", dark: "rgb(20, 17, 14)" } as const;

describe.skipIf(missesChromium)("The frame of the web console", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  test("disconnects from the console with the button Disconnect", async () => {
    const page = await stage.openOverHttp();
    await page.button("Disconnect").click();
    await page.isConnected(/^Not connected$/);
    await page.page.getByRole("main").getByText("No console is connected").waitFor();
    await page.close();
  });

  test("removes a notice when it is dismissed", async () => {
    const page = await stage.openOverHttp();
    await page.go("Device");
    await page.page.getByLabel("Address of the hub").fill("http://hub.example.org");
    await page.button("Set hub").click();
    const notice = page.page.getByText("The hub is http://hub.example.org");
    await notice.waitFor();
    await page.button("Dismiss").click();
    await notice.waitFor({ state: "detached", timeout: 3000 }); // by itself it would leave after 6 s
    await page.close();
  });

  test("loads the script of the other panels when a link to one of them is focused, not before", async () => {
    const page = await stage.openOverHttp();
    await page.panel("Device");
    await page.page.waitForLoadState("networkidle");
    const isLoaded = page.requests.some((address) => address.endsWith("/panels.js"));
    assert.equal(isLoaded, false, "It was not requested");
    const loaded = page.page.waitForResponse(/panels\.js$/);
    await page.page.getByRole("navigation").getByRole("link", { name: "Logs" }).focus();
    await loaded;
    await page.go("Logs");
    await page.close();
  });

  test("sends a console that requires its token one request, and then asks the user for it", async () => {
    const guarded = await Stage.startConsole({ flags: ["--config", "CONFIG_SVC_HTTP_AUTH=on"] });
    onTestFinished(async () => void (await guarded.stop()));
    const usb = await UsbClient.open(guarded.usb);
    const { token } = (await usb.request("GET", "/api/auth/token")).body;
    await usb.close();
    const page = await ConsolePage.open(stage.chromium, guarded.http, { tolerates: [REFUSALS] });
    await page.says(/on the Device panel while the console is connected by cable/);
    assert.equal(page.requests.filter((address) => address.includes("/api/")).length, 1);
    await page.page.locator("input[type=password]:focus").fill(token);
    await page.page.keyboard.press("Enter");
    await page.isConnected(/^Connected/);
    await page.close();
  });

  /** The background colour while the script has not arrived. */
  async function groundOf({ page }: ConsolePage): Promise<string> {
    await page.locator(".header:empty").waitFor();
    return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  }
  const withoutScript = ({ page }: ConsolePage) => page.route(/console\.js$/, () => {}); // which never comes

  for (const colorScheme of ["light", "dark"] as const)
    test(`has the system's ${colorScheme} background before its script`, async () => {
      const page = await ConsolePage.open(stage.chromium, "about:blank", { colorScheme });
      await withoutScript(page);
      await page.page.goto(stage.console.http, { waitUntil: "commit" });
      assert.equal(await groundOf(page), GROUNDS[colorScheme]);
      await page.close();
    });

  for (const [system, chosen] of [
    ["light", "dark"],
    ["dark", "light"],
  ] as const)
    test(`has the chosen ${chosen} background before its script, while the system is ${system}`, async () => {
      const page = await stage.openOverHttp({ colorScheme: system });
      await page.button(`Switch to ${chosen} colours`).click();
      await withoutScript(page);
      await page.page.reload({ waitUntil: "commit" });
      assert.equal(await groundOf(page), GROUNDS[chosen]);
      await page.close();
    });

  test("shows that the console does not answer when a button is pressed meanwhile", async () => {
    const { pid } = stage.console;
    const page = await stage.openOverHttp({ tolerates: [LOST_CONNECTIONS] });
    await page.go("Device");
    await page.page.getByLabel("Address of the hub").fill("http://other.example.org");
    const pressed = pressOnce(page, "Set hub", "Not answering");
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    await pressed;
    await page.says(/Console-.* is not answering/);
    process.kill(pid, "SIGCONT");
    await page.isConnected(/^Connected to/);
    await page.close();
  });

  test("offers the last connected console in the network, on any panel", async () => {
    const page = await stage.openOverHttp();
    await page.go("Logs");
    await page.button("Disconnect").click();
    await page.button(/^Connect to Console-/).click();
    await page.isConnected(/^Connected/);
    await page.panel("Logs");
    await page.close();
  });

  test("shows a failed reconnection beside the cable on the Connect panel, and the pressed button keeps the focus", async () => {
    const page = await stage.openHosted({ hasFakeSerial: true });
    const serial = page.serial as FakeSerial;
    await serial.plug(consoleAt(stage.console.usb));
    await page.connectUsb();
    await page.button("Disconnect").click();
    await serial.unplug();
    await serial.plug(deviceThat(() => undefined));
    await page.go("Apps");
    await page.button(/^Reconnect/).click();
    await page.page.locator("button:focus[aria-busy=true]", { hasText: "Reconnect" }).waitFor();
    await page.page.getByRole("main").getByRole("alert").waitFor();
    await page.page.locator("button:focus:not([aria-busy])", { hasText: "Reconnect" }).waitFor();
    const connect = await page.go("Connect");
    const alertsIn = (card: string) =>
      connect.getByRole("region", { name: card, exact: true }).getByRole("alert");
    await alertsIn("By cable").waitFor();
    assert.equal(await alertsIn("In the network").count(), 0);
    await page.close();
  });
});

/** Presses a button at the moment at which the header shows a text, which may be short. */
function pressOnce({ page }: ConsolePage, button: string, said: string): Promise<void> {
  const press = (wanted: { button: string; said: string }) =>
    new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector(".header")?.textContent?.includes(wanted.said)) return;
        observer.disconnect();
        [...document.querySelectorAll("button")].find((it) => it.textContent === wanted.button)?.click();
        resolve();
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true });
    });
  return page.evaluate(press, { button, said });
}
