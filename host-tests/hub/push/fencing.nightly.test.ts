/** Commands and connections when processes of the hub stall, end, or cannot reach each other. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registeredDevice, type TestDevice } from "../api/people.js";
import { TestPublisher } from "../devices/published.js";
import type { HubProcess } from "../hosts/hub-process.js";
import { BOTH_HUBS, CLUSTERED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, Channel, commandOf, ended, eventually, recordOf } from "./channel.js";
import { withDatabase } from "./database-of.js";

async function install(origin: string, device: TestDevice, app: string): Promise<string> {
  return (await request(origin, "POST", `/devices/me/apps/${app}/install`, device)).body.command_id;
}

for (const { name, missing, start } of BOTH_HUBS)
  describe.skipIf(missing)(`Commands over restarts of ${name}`, () => {
    let hub: HubUnderTest;
    let app: string;
    beforeAll(async () => {
      hub = await start();
      app = await (await TestPublisher.on(hub)).publishApp();
    });
    afterAll(() => hub.stop());

    test("a pending command is sent after the hub's restart", async () => {
      const device = await registeredDevice(hub);
      const command_id = await install(hub.origin, device, app);
      await Promise.all(hub.processes.map((process) => process.stop()));
      await Promise.all(hub.processes.map((process) => process.restart()));
      const channel = await Channel.open(hub.origin, device.token);
      expect((await channel.next("app.install")).command_id).toBe(command_id);
      channel.answer(channel.messages.at(-1));
      expect((await ended(() => hub.origin, device, command_id)).state).toBe("done");
      await channel.close();
    });

    test("a command without a notification is sent a little later", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const id = randomUUID();
      await withDatabase(hub, (database) =>
        database
          .insertInto("commands")
          .values({
            id,
            device_id: device.deviceId,
            kind: "uninstall",
            subject: "tetris",
            version: "",
            state: "pending",
            created_at: Date.now(),
            updated_at: Date.now(),
          })
          .execute(),
      );
      expect((await channel.next("app.uninstall")).command_id).toBe(id);
      await channel.close();
    });
  });

describe.skipIf(CLUSTERED_HUB.missing)(`Earlier connections on ${CLUSTERED_HUB.name}`, () => {
  let hub: HubUnderTest;
  let app: string;
  let first: HubProcess;
  let second: HubProcess;
  let third: HubProcess;
  beforeAll(async () => {
    hub = await CLUSTERED_HUB.start();
    app = await (await TestPublisher.on(hub)).publishApp();
    [first, second, third] = hub.processes as [HubProcess, HubProcess, HubProcess];
  });
  afterAll(() => hub.stop());

  test("when the process of a device is killed between command and result, another one sends the command again", async () => {
    const device = await registeredDevice(hub);
    const before = await Channel.open(first.origin, device.token);
    const command_id = await install(second.origin, device, app);
    const command = await before.next("app.install");
    await first.kill();
    await before.closed;
    const after = await Channel.open(second.origin, device.token);
    expect(await after.next("app.install")).toMatchObject({ command_id: command.command_id });
    after.answer(command);
    expect(await ended(() => third.origin, device, command_id)).toMatchObject({ state: "done" });
    expect(await appsOf(third.origin, device)).toMatchObject([{ state: "installed" }]);
    await after.close();
    await first.restart();
  });

  test("devices of a killed process are offline once its heartbeat is too old", async () => {
    const device = await registeredDevice(hub);
    const channel = await Channel.open(first.origin, device.token);
    await first.kill();
    await channel.closed;
    expect((await recordOf(second.origin, device)).online).toBe(true);
    await withDatabase(hub, async (database) => {
      const { process_id } = await database
        .selectFrom("devices")
        .select("process_id")
        .where("id", "=", device.deviceId)
        .executeTakeFirstOrThrow();
      await database
        .updateTable("processes")
        .set({ heartbeat_at: Date.now() - 15_000 })
        .where("id", "=", process_id as string)
        .execute();
    });
    expect((await recordOf(second.origin, device)).online).toBe(false);
    const { body } = await request(third.origin, "POST", `/devices/me/apps/${app}/install`, device);
    expect(body.state).toBe("queued");
    await first.restart();
  });

  test("a process that was stalled accepts no result, sends no command and marks no device offline", async () => {
    const device = await registeredDevice(hub);
    const before = await Channel.open(first.origin, device.token);
    const old = await install(second.origin, device, app);
    const command = await before.next("app.install");
    first.pause();
    const after = await Channel.open(second.origin, device.token);
    expect((await after.next("app.install")).command_id).toBe(old);
    before.answer(command, { success: false, error: "busy" });
    before.send({ type: "device.status", firmware_version: "9.9.9" });
    first.resume();
    expect(await before.closed).toBe(4000);
    const given = await install(third.origin, device, app);
    after.answer(await after.next("app.install"));
    expect(await ended(() => first.origin, device, given)).toMatchObject({ state: "done" });
    expect((await commandOf(first.origin, device, old)).state).toBe("replaced");
    expect(before.messages).toHaveLength(2); // whether it is claimed, and the first command
    const record = await recordOf(first.origin, device);
    expect(record).toMatchObject({ online: true, firmware_version: "1.0.0", status: null });
    await after.close();
  });

  test("a device that connects to one process after the other is held by the last", async () => {
    const device = await registeredDevice(hub);
    const channels: Channel[] = [];
    for (let times = 0; times < 9; times++) channels.push(await Channel.open(hub.origin, device.token));
    const last = channels.pop() as Channel;
    expect(await Promise.all(channels.map(({ closed }) => closed))).toEqual(Array(8).fill(4000));
    const command_id = await install(hub.origin, device, app);
    expect((await last.next("app.install")).command_id).toBe(command_id);
    await last.close();
    await eventually(
      () => recordOf(hub.origin, device),
      ({ online }) => !online,
    );
  });
});
