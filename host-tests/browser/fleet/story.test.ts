/** An operator's story with two real consoles: a tag, a group, a rollout in steps, and the timeline of one command. */

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTrapLines } from "../../../tools/trap-lines.js";
import { HubUser } from "../../device/hub/hub-user.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { askHttp } from "../../hosts/http-client.js";
import { addMember } from "../../hub/api/world.js";
import { appPackage } from "../../hub/catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { go, openFleet } from "./fleet-page.js";

describe.skipIf(missesChromium)("An operator of a fleet", () => {
  let chromium: Chromium;
  let hub: HubUnderTest;
  let user: HubUser;
  const consoles: { readonly console: FirmwareConsole; readonly deviceId: string }[] = [];

  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start();
    user = await HubUser.on(hub);
    expect(await user.publishApp(await appPackage({ name: "tetris" }))).toMatchObject({ status: 201 });
    for (const mac of ["02:00:00:00:FE:01", "02:00:00:00:FE:02"]) {
      const console = await startFirmwareConsole({
        publisher: user.publisher,
        flags: ["--mac", mac, "--hub", hub.origin],
      });
      consoles.push({ console, deviceId: await user.hold(console) });
    }
    for (const { deviceId } of consoles) await user.device(deviceId, ({ online }) => online);
    chromium = await Chromium.launch();
  });
  afterAll(async () => {
    await chromium?.close();
    for (const { console } of consoles) await console.stop();
    await hub?.stop();
  });

  test("tags a console, makes a group, rolls out an app to it, and sees each step of its command", async ({
    task,
  }) => {
    const operator = await addMember(hub, user.accountToken, "operator");
    const { page, errors } = await openFleet(chromium, hub, operator.token);
    await page.getByRole("link", { name: "0 of 2 consoles" }).waitFor();
    const [first] = consoles;
    await go(page, `/consoles/${first?.deviceId}`);
    await page.getByLabel("Tags, separated by spaces").fill("shop");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("list", { name: "Tags of the console" }).getByText("shop").waitFor();

    await page.getByRole("link", { name: "Groups" }).click();
    await page.getByLabel("Name of the group").fill("Shops");
    await page.getByLabel("Value").fill("shop");
    await page.getByRole("button", { name: "Add the group" }).click();
    await page.getByRole("link", { name: "Shops" }).click();
    await page.getByText("1 consoles", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Rollouts" }).click();
    await page.getByRole("link", { name: "New rollout" }).click();
    await page.getByLabel("Name of the app").fill("tetris");
    await page.getByLabel("Group").selectOption("Shops");
    await page.getByText("It reaches 1 consoles, as of now.").waitFor();
    await page.getByRole("button", { name: "Start the rollout" }).click();
    await page.getByRole("heading", { name: "tetris 1.0.0" }).waitFor();
    await page.getByRole("status").getByText("completed").waitFor();
    await page.getByText("1 of 1 done, 0 sent, 0 wait, 0 failed").waitFor();

    await go(page, `/consoles/${first?.deviceId}`);
    await page.getByRole("button", { name: "Timeline of install tetris 1.0.0" }).click();
    const steps = page.getByRole("list", { name: "Steps of the command" }).getByRole("listitem");
    await expect.poll(async () => (await steps.allTextContents()).length).toBe(3);
    const texts = await steps.allTextContents();
    expect(texts[0]).toMatch(/ordered by rollout /);
    expect(texts[1]).toMatch(/sent over connection 1$/);
    expect(texts[2]).toMatch(/done over connection 1$/);
    await page.getByText("tetris 1.0.0 installed").waitFor();
    expect(errors).toEqual([]);
    await chromium.closePages(task);
  });

  test("sees that an app has crashed on a console, and in which line", async ({ task }) => {
    const [, second] = consoles;
    if (!second) throw new Error("There is no second console");
    const module = await moduleOf('(module (func $drop unreachable) (func (export "main") (call $drop)))');
    const file = packageOf(module, { name: "crasher" });
    expect((await user.publishApp(file)).status).toBe(201);
    const moduleSha256 = createHash("sha256").update(module).digest("hex");
    const owner = { app: "crasher", version: "1.0.0", moduleSha256 };
    const lines = new FormData();
    const text = writeTrapLines(owner, [{ offset: 0, file: "main.c", line: 12, name: "drop" }]);
    lines.set("lines", new Blob([text]), "lines");
    expect((await user.publish("PUT", "/catalog/crasher/lines", lines)).status).toBe(200);
    const { body } = await user.ask("POST", `/devices/${second.deviceId}/apps/crasher/install`);
    expect(await user.ended(second.deviceId, body.command_id)).toMatchObject({ state: "done" });
    await askHttp(`${second.console.http}/api/apps/start?name=crasher`, { method: "POST" });

    const viewer = await addMember(hub, user.accountToken, "viewer");
    const { page, errors } = await openFleet(chromium, hub, viewer.token);
    await page.getByRole("link", { name: "1 of 2 consoles" }).waitFor();
    await page.getByText("Consoles that crashed, or whose app did, in the last day: 1").waitFor();
    await go(page, `/consoles/${second.deviceId}`);
    await page.getByRole("button", { name: "Stack of crasher 1.0.0" }).click();
    const stack = page.getByRole("list", { name: "Stack of the crash" });
    await stack.getByText("drop main.c:12").waitFor();
    expect(errors).toEqual([]);
    await chromium.closePages(task);
  });
});
