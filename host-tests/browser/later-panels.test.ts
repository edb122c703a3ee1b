/** The script of the panels that come later, where it does not come at first. */
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { askHttp } from "../hosts/http-client.js";
import { missesChromium } from "./hosts/chromium.js";
import { ConsolePage, LOST_CONNECTIONS } from "./hosts/console-page.js";
import { Stage } from "./hosts/stage.js";

const FAILED = "This part of the page could not be loaded";

describe.skipIf(missesChromium)("A panel whose script could not be loaded", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  /** The panel Logs without its script, and a way to let that come from now on. */
  async function open() {
    const page = await ConsolePage.open(stage.chromium, "about:blank", { tolerates: [LOST_CONNECTIONS] });
    await page.page.route(/panels\.js/, (route) => route.abort());
    await page.page.goto(`${stage.console.http}/#logs`);
    await page.isConnected(/^Connected/);
    await page.says(FAILED);
    return { page, allow: () => page.page.unroute(/panels\.js/) };
  }

  const hasLogs = (page: ConsolePage) => page.page.getByRole("log").waitFor();

  test("loads once the user tries again", async () => {
    const { page, allow } = await open();
    await page.button("Try again").click();
    await page.says(FAILED);
    await allow();
    await page.button("Try again").click();
    await hasLogs(page);
    await page.close();
  });

  test("loads once the console has restarted", async () => {
    const { page, allow } = await open();
    await allow();
    await askHttp(`${stage.console.http}/api/reboot`, { method: "POST" });
    await hasLogs(page);
    await page.close();
  });
});
