/** Apps in front, behind and in the background, as the list of apps shows and changes them (docs/spec/web-console.md#app-states). */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { kindsInTier } from "../tier.js";
import { violations } from "./hosts/accessibility.js";
import { missesChromium } from "./hosts/chromium.js";
import { REFUSALS } from "./hosts/console-page.js";
import { Stage, TRANSPORTS } from "./hosts/stage.js";
import { until } from "./hosts/until.js";

describe.skipIf(missesChromium)("The list of installed apps", () => {
  let stage: Stage;
  let module: Uint8Array;
  beforeAll(async () => {
    stage = await Stage.start();
    module = await moduleOf(`(module
      (import "svc" "sleep_ms" (func $sleep (param i32)))
      (func (export "main") (loop $ever (call $sleep (i32.const 100)) (br $ever))))`);
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  for (const { name: transport, missing, open } of kindsInTier(TRANSPORTS))
    describe.skipIf(missing)(transport, () => {
      test("shows which app is in front, and brings another one there", async () => {
        for (const name of ["maze", "radio"]) await stage.install(packageOf(module, { name }));
        for (const name of ["radio", "maze"]) await stage.act("start", name);
        const page = await open(stage);
        await page.go("Apps");
        const tag = (name: string, text: string) =>
          page.page.getByRole("listitem", { name, exact: true }).getByText(text, { exact: true });
        await tag("maze", "In front").waitFor();
        await tag("radio", "Running").waitFor();
        assert.equal(await page.button("Bring to front: maze").count(), 0);
        await page.button("Bring to front: radio").click();
        await tag("radio", "In front").waitFor();
        await tag("maze", "Running").waitFor();
        const focused = await page.page.evaluate(() => document.activeElement?.textContent);
        assert.equal(focused, "radio", "The focus has left the app");
        assert.deepEqual(await violations(page.page), []);
        await page.close();
      });

      test("lets an app run in the background, for the owner alone", async () => {
        await stage.install(packageOf(module, { name: "radio" }));
        const page = await open(stage, { tolerates: [REFUSALS] });
        await page.go("Apps");
        const choice = page.page.getByLabel("Runs in background: radio");
        const isAllowed = async () => (await stage.apps())[0]?.background;
        await choice.click();
        if (transport === "over USB") {
          await until(isAllowed, (allowed) => allowed === true);
          await choice.click();
          await until(isAllowed, (allowed) => allowed === undefined);
        } else {
          await page.says(/use the cable or send the console's bearer token/);
          await page.says(/requires its token for this/);
          assert.equal(await isAllowed(), undefined);
        }
        await until(
          () => choice.isChecked(),
          (checked) => !checked,
        );
        await page.close();
      });
    });
});
