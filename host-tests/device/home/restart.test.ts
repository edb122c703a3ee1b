/** A factory reset that is chosen with the buttons of the home screen, which the restart ends (docs/spec/home.md#factory-reset). */
import { expect, test } from "vitest";
import { startAppConsole } from "../../hosts/app-console.js";
import { HomeUser } from "../../hosts/home-user.js";
import { getJson } from "../../hosts/http-client.js";

test("A factory reset that is chosen on the console restarts it, and leaves nothing of the user's", async () => {
  const console = await startAppConsole();
  const user = await HomeUser.of(console);
  await user.ask("POST", "/api/hub", { url: "http://192.0.2.1" });
  await user.openSetting("Factory reset");
  await user.choose("Continue", "Really delete everything?");
  await user.moveTo("Delete all");
  const from = console.stderr.length;
  const isReset = console.waitForLine(/reset to factory settings/, from);
  await user.hold("a");
  await isReset;
  await console.waitForLine(/is ready/, from);
  await expect
    .poll(() => getJson(`${console.http}/api/hub`).catch(() => undefined))
    .toMatchObject({ url: "" });
  expect(console.stderr.filter((line) => /reset reason is (crash|watchdog)/.test(line))).toEqual([]);
  await user.close();
  expect(await console.stop()).toBe(0);
});
