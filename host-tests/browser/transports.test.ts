/**
 * A user's tasks in the web console over both transports: over USB through Chromium's own serial stack, and over HTTP
 * from the page that the console serves.
 */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { firmwareBundle } from "../hosts/firmware-files.js";
import { kindsInTier } from "../tier.js";
import { chosen, greeter } from "./hosts/app-files.js";
import { missesChromium } from "./hosts/chromium.js";
import { type ConsolePage, LOST_CONNECTIONS, REFUSALS } from "./hosts/console-page.js";
import { ExampleApps } from "./hosts/example-apps.js";
import { logLines, shownAgain } from "./hosts/log-lines.js";
import { Stage, TRANSPORTS } from "./hosts/stage.js";
import { until } from "./hosts/until.js";

const PICTURE = { name: /by \d+ pixels/ };

describe.skipIf(missesChromium)("The web console", () => {
  let stage: Stage;
  let examples: ExampleApps;
  beforeAll(async () => {
    stage = await Stage.start();
    examples = await ExampleApps.build(stage.console.publisher);
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(async () => {
    examples?.remove();
    await stage?.end();
  });

  for (const { name: transport, missing, open } of kindsInTier(TRANSPORTS))
    describe.skipIf(missing)(transport, () => {
      const version = transport === "over USB" ? "0.2.0" : "0.3.0";

      test("shows the console's name, firmware version and MAC", async () => {
        const page = await open(stage);
        const panel = await page.go("Device");
        const { firmware, mac } = await stage.console.system();
        await page.page.getByRole("heading", { name: stage.console.name }).waitFor();
        for (const fact of [firmware.version, mac]) await panel.getByText(fact).first().waitFor();
        await page.close();
      });

      test("installs a signed package after consent to its capabilities", async () => {
        const page = await open(stage);
        await page.go("Apps");
        await page.choose("Install app…", examples.files("bricks"));
        const dialog = page.page.getByRole("dialog");
        await dialog
          .getByText(/display/i)
          .first()
          .waitFor();
        assert.deepEqual(await stage.apps(), [], "It was sent before it was agreed to");
        await dialog.getByRole("button", { name: "Install", exact: true }).click();
        await page.button("Start bricks").waitFor();
        assert.deepEqual(
          (await stage.apps()).map(({ name, state }) => ({ name, state })),
          [{ name: "bricks", state: "stopped" }],
        );
        await page.close();
      });

      test("installs nothing without consent", async () => {
        const page = await open(stage);
        await page.go("Apps");
        await page.choose("Install app…", examples.files("clock"));
        await page.page.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }).click();
        await page.page.getByRole("dialog").waitFor({ state: "detached" });
        assert.deepEqual(await stage.apps(), []);
        await page.close();
      });

      test("shows why the console rejects a package", async () => {
        const page = await open(stage, { tolerates: [REFUSALS] });
        await page.go("Apps");
        const file = await greeter("never heard");
        const signature = stage.console.publisher.sign(new TextEncoder().encode("another file"));
        await page.choose("Install app…", [
          chosen("greeter.svcpkg", file),
          chosen("greeter.svcpkg.sig", signature),
        ]);
        await page.page.getByRole("dialog").getByRole("button", { name: "Install", exact: true }).click();
        await page.says(/does not trust its key/);
        assert.deepEqual(await stage.apps(), []);
        await page.close();
      });

      test("starts, stops and uninstalls an app, and shows its log lines", async () => {
        await stage.install(await greeter(`greetings ${transport}`));
        const page = await open(stage);
        await page.go("Apps");
        await page.button("Start greeter").click();
        await page.button("Stop greeter").waitFor();
        const logs = await page.go("Logs");
        await logs.getByRole("log").getByText(`greetings ${transport}`).waitFor();
        await page.go("Apps");
        await page.button("Stop greeter").click();
        await page.button("Start greeter").waitFor();
        await page.button("Uninstall greeter").click();
        await page.page.getByRole("dialog").getByRole("button", { name: "Uninstall", exact: true }).click();
        await page.button("Start greeter").waitFor({ state: "detached" });
        assert.deepEqual(await stage.apps(), []);
        await page.close();
      });

      test("shows that another client has started an app", async () => {
        await stage.install(await greeter("unheard"));
        const page = await open(stage);
        await page.go("Apps");
        await page.button("Start greeter").waitFor();
        await stage.act("start", "greeter");
        await page.button("Stop greeter").waitFor();
        await page.close();
      });

      test("runs a shell command, and recalls it with the arrow key", async () => {
        await stage.install(await greeter("unheard"));
        const page = await open(stage);
        const shell = await page.go("Shell");
        const prompt = shell.getByRole("textbox");
        await prompt.fill("app list");
        await prompt.press("Enter");
        await shell.getByRole("log").getByText("greeter").waitFor();
        await prompt.press("ArrowUp");
        assert.equal(await prompt.inputValue(), "app list");
        await page.close();
      });

      test("shows the display, which changes when a button is pressed there", async () => {
        await stage.install(await examples.bytes("bricks"));
        await stage.act("start", "bricks");
        const page = await open(stage);
        const screen = await page.go("Screen");
        const before = await steadyPicture(screen.getByRole("img", PICTURE));
        await screen.getByRole("button", { name: /^A\b/ }).hover();
        await page.page.mouse.down();
        await until(
          () => screen.getByRole("img", PICTURE).screenshot(),
          (picture) => !picture.equals(before),
        );
        await page.page.mouse.up();
        await page.close();
      });

      test("updates the firmware: upload, restart, trial, confirmation", async () => {
        const bundle = await firmwareBundle({ version }, stage.console.publisher);
        const page = await open(stage, { tolerates: [LOST_CONNECTIONS] });
        await page.go("Firmware");
        await page.choose("Upload firmware…", [chosen(`svc-${version}.svcfw`, bundle)]);
        await page.button("Upload").click();
        await page.button("Restart into it").click({ timeout: 60_000 });
        await page.button("Confirm").click({ timeout: 60_000 });
        await page.page.getByText(`Firmware ${version} is confirmed, and stays`).first().waitFor();
        assert.equal((await stage.console.system()).firmware.version, version);
        assert.deepEqual(await stage.console.ota().then(({ state }) => state), "idle");
        await page.close();
      }, 120_000);

      test("reconnects after a restart, and continues the log without a repeated line", async () => {
        const page = await open(stage, { tolerates: [LOST_CONNECTIONS] });
        const log = (await page.go("Logs")).getByRole("log");
        await log
          .getByText(/is ready: HTTP/)
          .first()
          .waitFor();
        const from = stage.console.stderr.length;
        await restart(page);
        await stage.console.started("software", from);
        await stage.install(await greeter(`after the restart ${transport}`));
        await stage.act("start", "greeter");
        await page.isConnected(/^Connected/);
        await page.go("Logs");
        await log.getByText(`after the restart ${transport}`).waitFor();
        assert.deepEqual(shownAgain(await logLines(log)), []);
        await page.close();
      });
    });

  async function restart(page: ConsolePage): Promise<void> {
    await page.go("Device");
    await page.button("Restart…").click();
    await page.page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
  }
});

/** The picture once there is one. */
async function steadyPicture(image: Locator): Promise<Buffer> {
  await image.waitFor();
  return image.screenshot();
}
