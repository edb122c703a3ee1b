/** Installed apps (docs/spec/hub-api.md#device-apps): a console reports them, and the hub lists them. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { heldDevice, madeAccount, type TestAccount, type TestDevice } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, Channel, commandOf, eventually, type Message } from "../push/channel.js";
import { TestPublisher } from "./published.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The list of installed apps on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    let publisher: TestPublisher;
    beforeAll(async () => {
      hub = await start();
      account = await madeAccount(hub);
      publisher = await TestPublisher.on(hub);
    });
    afterAll(() => hub?.stop());

    const connected = async () => {
      const device = await heldDevice(hub, account);
      const channel = await Channel.open(hub.origin, device.token);
      onTestFinished(() => channel.cut());
      return { device, channel };
    };
    const ask = (method: string, path: string, json?: unknown) =>
      request(hub.origin, method, path, { token: account.token, ...(json !== undefined && { json }) });
    const app = (name: string, version = "1.0.0", running = false) => ({
      name,
      version,
      size: 1000,
      running,
    });
    const told = (device: TestDevice, isRight: (apps: readonly Message[]) => boolean) =>
      eventually(() => appsOf(hub.origin, device), isRight);

    test("is the console's latest report, sorted by name", async () => {
      const { device, channel } = await connected();
      expect(await appsOf(hub.origin, device)).toEqual([]);
      channel.send({ type: "device.apps", apps: [app("tetris", "2.0.0", true), app("chess")] });
      const apps = await told(device, ({ length }) => length === 2);
      const updated_at = expect.stringMatching(/Z$/);
      const common = { state: "installed", updated_at };
      expect(apps).toEqual([
        { app_id: "chess", name: "chess", version: "1.0.0", running: false, ...common },
        { app_id: "tetris", name: "tetris", version: "2.0.0", running: true, ...common },
      ]);
      channel.send({ type: "device.apps", apps: [] });
      await told(device, ({ length }) => length === 0);
    });

    test("includes requested installs and failed ones", async () => {
      const { device, channel } = await connected();
      const id = await publisher.publishApp();
      channel.send({ type: "device.apps", apps: [app("chess")] });
      await told(device, ({ length }) => length === 1);
      const { body } = await ask("POST", `/devices/${device.deviceId}/apps/${id}/install`);
      await ask("DELETE", `/devices/${device.deviceId}/apps/chess`);
      const states = (apps: readonly Message[]) =>
        Object.fromEntries(apps.map((one) => [one.name, one.state]));
      const pending = await told(device, ({ length }) => length === 2);
      expect(states(pending)).toEqual({ [id]: "requested", chess: "installed" });
      const command = await channel.next("app.install");
      channel.answer(command, { success: false, error: "storage_full" });
      const failed = await told(device, (apps) => apps.some(({ state }) => state === "failed"));
      expect(failed.find((one) => one.name === id)).toMatchObject({ error: "storage_full", running: false });
      expect((await commandOf(hub.origin, device, body.command_id)).state).toBe("failed");
      channel.send({ type: "device.apps", apps: [app(id)] });
      await told(device, (apps) => apps.find((one) => one.name === id)?.state === "installed");
    });

    test("contains a new app once its command is done, if the console reports it before the result", async () => {
      const { device, channel } = await connected();
      const id = await publisher.publishApp();
      channel.send({ type: "device.apps", apps: [] });
      const { body } = await ask("POST", `/devices/${device.deviceId}/apps/${id}/install`);
      const command = await channel.next("app.install");
      channel.send({ type: "device.apps", apps: [app(id)] });
      channel.answer(command, { success: true, error: null });
      await eventually(
        () => commandOf(hub.origin, device, body.command_id),
        ({ state }) => state === "done",
      );
      expect(await appsOf(hub.origin, device)).toMatchObject([{ name: id, state: "installed" }]);
    });

    for (const [what, apps] of [
      ["65 apps", Array.from({ length: 65 }, (_, index) => app(`app-${index}`))],
      ["invalid names", [app("../tetris")]],
      ["repeated names", [app("tetris"), app("tetris")]],
      ["invalid versions", [app("tetris", "1")]],
      ["invalid sizes", [{ ...app("tetris"), size: -1 }]],
      ["apps without the member running", [{ name: "tetris", version: "1.0.0", size: 1 }]],
      ["values other than lists", "tetris"],
    ] as const)
      test(`${what} are ignored in a report`, async () => {
        const { device, channel } = await connected();
        channel.send({ type: "device.apps", apps });
        channel.send({ type: "device.apps", apps: [app("last")] });
        const known = await told(device, ({ length }) => length > 0);
        expect(known.map(({ name }) => name)).toEqual(["last"]);
      });

    test("may have 64 apps in a report", async () => {
      const { device, channel } = await connected();
      channel.send({
        type: "device.apps",
        apps: Array.from({ length: 64 }, (_, index) => app(`app-${index}`)),
      });
      await told(device, ({ length }) => length === 64);
    });

    test("shows no failure for a push that the console reports as superseded", async () => {
      const { device, channel } = await connected();
      const id = await publisher.publishApp();
      const { body } = await ask("POST", `/devices/${device.deviceId}/apps/${id}/install`);
      channel.answer(await channel.next("app.install"), { success: false, error: "superseded" });
      const command = await eventually(
        () => commandOf(hub.origin, device, body.command_id),
        ({ state }) => state !== "sent",
      );
      expect(command).toMatchObject({ state: "replaced", error: "superseded" });
      expect(await appsOf(hub.origin, device)).toEqual([]);
    });

    test('ignores a result "superseded" without a command id', async () => {
      const { device, channel } = await connected();
      const id = await publisher.publishApp();
      const { body } = await ask("POST", `/devices/${device.deviceId}/apps/${id}/install`);
      await channel.next("app.install");
      channel.send({ type: "app.install.result", app_id: id, success: false, error: "superseded" });
      channel.send({ type: "device.apps", apps: [app("last")] });
      await told(device, (apps) => apps.some((one) => one.name === "last"));
      expect((await commandOf(hub.origin, device, body.command_id)).state).toBe("sent");
    });

    test("accepts a push of an older version as a downgrade on request", async () => {
      const { device, channel } = await connected();
      const id = await publisher.publishApp();
      await publisher.publishApp(id, "2.0.0");
      const path = `/devices/${device.deviceId}/apps/${id}/install`;
      await ask("POST", path, { version: "1.0.0", downgrade: true });
      expect(await channel.next("app.install")).toMatchObject({ version: "1.0.0", downgrade: true });
      await ask("POST", path, { version: "1.0.0" });
      expect(await channel.next("app.install")).not.toHaveProperty("downgrade");
      expect((await ask("POST", path, { downgrade: "yes" })).body.error).toBe("bad_parameter");
    });
  });
