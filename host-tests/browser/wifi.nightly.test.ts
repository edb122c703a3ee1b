/** Setting up a console's network in the web console, over the cable; the radio is the simulated one (docs/management.md). */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from "vitest";
import { missesChromium } from "./hosts/chromium.js";
import { consoleAt } from "./hosts/serial-devices.js";
import { Stage } from "./hosts/stage.js";

describe.skipIf(missesChromium)("WiFi in the web console", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  /** The part of the Device panel, over the cable. */
  async function openByCable() {
    const page = await stage.openHosted({ hasFakeSerial: true });
    await page.serial?.plug(consoleAt(stage.console.usb));
    await page.connectUsb();
    return { page, card: (await page.go("Device")).getByRole("region", { name: "WiFi", exact: true }) };
  }

  test("is scanned, selected, joined with its password, and forgotten", async () => {
    const { page, card } = await openByCable();
    await card.getByRole("button", { name: "Scan for networks" }).click();
    await card.getByRole("button", { name: "Join Simulated", exact: true }).click();
    const dialog = page.page.getByRole("dialog");
    await dialog.getByLabel("Password", { exact: true }).fill("simulated");
    await dialog.getByRole("button", { name: "Join", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await card.getByText("Joined", { exact: true }).waitFor();
    await card.getByText("127.0.0.1").waitFor();
    await card.getByRole("button", { name: /^Forget Simulated/ }).click();
    await dialog.getByRole("button", { name: "Forget", exact: true }).click();
    await card.getByText("Not set up", { exact: true }).waitFor();
    await page.close();
  });

  test("shows that a password is wrong, and the password on request", async () => {
    const { page, card } = await openByCable();
    await card.getByRole("button", { name: "Scan for networks" }).click();
    await card.getByRole("button", { name: "Join Simulated", exact: true }).click();
    const dialog = page.page.getByRole("dialog");
    await dialog.getByLabel("Password", { exact: true }).fill("not the password");
    await dialog.getByRole("button", { name: "Show password" }).click();
    assert.equal(await dialog.getByLabel("Password", { exact: true }).getAttribute("type"), "text");
    await dialog.getByRole("button", { name: "Join", exact: true }).click();
    await card
      .getByRole("alert")
      .getByText(/password/i)
      .waitFor();
    await page.close();
  });

  test("shows an invalid password at its field, which gets the focus", async () => {
    const { page, card } = await openByCable();
    await card.getByRole("button", { name: "Scan for networks" }).click();
    await card.getByRole("button", { name: "Join Simulated", exact: true }).click();
    const dialog = page.page.getByRole("dialog");
    const password = dialog.getByLabel("Password", { exact: true });
    await password.fill("short");
    await dialog.getByRole("button", { name: "Join", exact: true }).click();
    await dialog.getByText(/"password" takes .*8 to 63/).waitFor();
    await dialog.locator("input[aria-invalid=true]:focus").fill("simulated");
    await page.page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await card.getByText("Joined", { exact: true }).waitFor();
    await page.close();
  });

  test("shows in the dialog that the console does not answer, in a notice that can be dismissed", async () => {
    const { page, card } = await openByCable();
    await card.getByRole("button", { name: "Hidden network…" }).click();
    const dialog = page.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Simulated open");
    const { pid } = stage.console;
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    await page.page
      .getByRole("banner", { includeHidden: true })
      .getByText(/^Not answering/)
      .waitFor();
    await dialog.getByRole("button", { name: "Join", exact: true }).click();
    const notice = dialog.getByRole("status", { name: "Notices" }).getByText(/is not answering/);
    await notice.waitFor();
    await dialog.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "detached" });
    process.kill(pid, "SIGCONT");
    await page.close();
  });

  test("joins a hidden open network by its name", async () => {
    const { page, card } = await openByCable();
    await card.getByRole("button", { name: "Hidden network…" }).click();
    const dialog = page.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Simulated open");
    await dialog.getByRole("button", { name: "Join", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await card.getByText("Joined", { exact: true }).waitFor();
    await page.close();
  });

  test("needs the cable, as the page shows over HTTP", async () => {
    const page = await stage.openOverHttp();
    const card = (await page.go("Device")).getByRole("region", { name: "WiFi", exact: true });
    await card.getByText(/cable/).waitFor();
    assert.equal(await card.getByRole("button").count(), 0);
    await page.close();
  });
});
