/** Duplicate results: a device that has sent one cannot know whether it arrived. */
import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { registeredDevice, type TestDevice } from "../api/people.js";
import { TestPublisher } from "../devices/published.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, Channel, commandOf, ended, type Message } from "../push/channel.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A result on ${name}`, () => {
    let hub: HubUnderTest;
    let app: string;
    beforeAll(async () => {
      hub = await start();
      app = await (await TestPublisher.on(hub)).publishApp();
    });
    afterAll(() => hub?.stop());

    const look = () => hub.origin;
    const install = (device: TestDevice) =>
      request(hub.origin, "POST", `/devices/me/apps/${app}/install`, device);

    /** Results sent over this channel before are stored once this one is. */
    async function settle(channel: Channel, device: TestDevice): Promise<void> {
      const { body } = await request(hub.origin, "DELETE", "/devices/me/apps/another", device);
      channel.answer(await channel.next("app.uninstall"));
      await ended(look, device, body.command_id);
    }

    async function requireDone(device: TestDevice, { command_id }: Message): Promise<void> {
      for (const origin of hub.origins) {
        assert.include(await commandOf(origin, device, command_id), { state: "done" });
        assert.include((await appsOf(origin, device))[0], { app_id: app, state: "installed" });
      }
    }

    test("that is repeated over other connections, to each process, changes nothing", async () => {
      const device = await registeredDevice(hub);
      const first = await Channel.open(hub.origin, device.token);
      await install(device);
      const command = await first.next("app.install");
      first.answer(command);
      await settle(first, device);
      first.cut();
      for (const origin of hub.origins) {
        const again = await Channel.open(origin, device.token);
        again.answer(command);
        again.answer(command, { success: false, error: "busy" });
        await settle(again, device);
        await requireDone(device, command);
        await again.close();
      }
    });

    test("that is sent a hundred times at once counts once", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      await install(device);
      const command = await channel.next("app.install");
      for (let times = 0; times < 100; times++) channel.answer(command);
      channel.answer(command, { success: false, error: "busy" });
      await settle(channel, device);
      await requireDone(device, command);
      await channel.close();
    });

    test("that was sent to a process just before its end is stored, or the command is sent again", async () => {
      const device = await registeredDevice(hub);
      const [holder] = hub.processes;
      const before = await Channel.open(`${holder?.origin}`, device.token);
      await install(device);
      const command = await before.next("app.install");
      before.answer(command);
      await holder?.kill();
      await holder?.restart();
      const after = await Channel.open(hub.origin, device.token);
      const { state } = await commandOf(hub.origin, device, command.command_id);
      if (state === "sent" || state === "queued") {
        assert.equal((await after.next("app.install")).command_id, command.command_id);
        after.answer(command);
      }
      await settle(after, device);
      await requireDone(device, command);
      await after.close();
    });
  });
