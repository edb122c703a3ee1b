/** The page of a console that takes its time, or has gone since it sent the page. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missesChromium } from "./hosts/chromium.js";
import { ConsolePage, LOST_CONNECTIONS } from "./hosts/console-page.js";
import { Stage } from "./hosts/stage.js";

describe.skipIf(missesChromium)("The web console of a slow console", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  /** The page asks whether it came from a console, and is answered once `answer` is called. */
  async function open() {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const page = await ConsolePage.open(stage.chromium, "about:blank", { tolerates: [LOST_CONNECTIONS] });
    await page.page.clock.install();
    await page.page.route("**/", async (route) => {
      if (route.request().method() === "HEAD") await answered;
      await route.continue();
    });
    await page.page.goto(stage.console.http);
    return { page, answer };
  }

  test("is shown before the console has answered, and connects once it has", async () => {
    const { page, answer } = await open();
    await page.panel("Connect");
    await page.isConnected(/^Connecting/);
    answer();
    await page.isConnected(/^Connected to/);
    await page.panel("Device");
    await page.close();
  });

  test("shows that the console does not answer, with its address in the field", async () => {
    const { page } = await open();
    const panel = await page.panel("Connect");
    await page.page.clock.fastForward(10_000);
    await page.says(/has not answered for 10 s/);
    await expect.poll(() => panel.getByLabel("Address").inputValue()).toBe(stage.console.http);
    await panel.getByRole("button", { name: "Connect", exact: true }).click();
    await page.isConnected(/^Connected to/);
    await page.close();
  });

  test("does not reconnect after the user has disconnected meanwhile", async () => {
    const { page, answer } = await open();
    await page.button("Disconnect").click();
    await page.isConnected(/^Not connected/);
    const found = page.page.waitForResponse(/\/api\/status$/);
    answer();
    await (await found).finished();
    await page.go("Logs");
    await page.page.getByRole("main").getByText("No console is connected").waitFor();
    await page.close();
  });
});
