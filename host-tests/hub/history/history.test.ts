/** The history of a console and the timeline of a command (docs/spec/hub-api.md#history). */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EVENTS_LIMIT } from "../../../hub/history/device-events.js";
import { claim, heldDevice, madeAccount, type TestAccount } from "../api/people.js";
import { addMember } from "../api/world.js";
import { TestPublisher } from "../devices/published.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, eventually, type Message } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";

const DAY_MS = 24 * 3_600_000;
const DEBUG = { environment: { SVC_HUB_LOG_LEVEL: "debug" } };

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The history of a console on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: TestPublisher;
    beforeAll(async () => {
      hub = await start(DEBUG);
      publisher = await TestPublisher.on(hub);
    });
    afterAll(() => hub?.stop());

    const get = async ({ token }: Pick<TestAccount, "token">, path: string): Promise<Message> =>
      (await request(hub.origin, "GET", path, { token })).body;
    const stepsOf = async (account: TestAccount, deviceId: string, commandId: string) =>
      (await get(account, `/devices/${deviceId}/commands/${commandId}/timeline`)).steps as Message[];
    const untilSteps = (
      account: TestAccount,
      deviceId: string,
      commandId: string,
      steps: readonly string[],
    ) =>
      eventually(
        () => stepsOf(account, deviceId, commandId),
        (found) => found.length >= steps.length && found.map(({ step }) => step).join() === steps.join(),
      );
    const connected = async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const channel = await Channel.open(hub.origin, device.token);
      onTestFinished(() => channel.cut());
      return { account, device, channel, id: device.deviceId };
    };

    test("tells each step of a command: who ordered it, the connection, and the result", async () => {
      const { account, channel, id } = await connected();
      const member = await addMember(hub, account.token, "operator");
      const app = await publisher.publishApp();
      const { body } = await request(hub.origin, "POST", `/devices/${id}/apps/${app}/install`, member);
      channel.answer(await channel.next("app.install"), { success: false, error: "storage_full" });
      const steps = await untilSteps(account, id, body.command_id, ["ordered", "sent", "failed"]);
      const at = expect.stringMatching(/Z$/);
      expect(steps).toEqual([
        {
          step: "ordered",
          at,
          by: { kind: "member", id: member.id, name: expect.stringMatching(/^operator/) },
        },
        { step: "sent", at, connection: 1 },
        { step: "failed", at, connection: 1, error: "storage_full" },
      ]);
      const { events } = await get(account, `/devices/${id}/history`);
      const ofCommand = events.filter(({ command_id }: Message) => command_id === body.command_id);
      expect(ofCommand.map(({ kind }: Message) => kind)).toEqual(["failed", "sent", "ordered"]);
      const { command } = await get(account, `/devices/${id}/commands/${body.command_id}/timeline`);
      expect(command).toMatchObject({ state: "failed", app_id: app });
      const list = await get(account, `/account/devices?attention=true`);
      expect(list.devices.map(({ device_id }: Message) => device_id)).toEqual([id]);
      expect(await get(account, "/account/attention")).toMatchObject({
        devices_failed: 1,
        commands_failed: 1,
      });
      const lines = () => hub.processes.flatMap(({ stderr }) => stderr).map((line) => JSON.parse(line));
      await eventually(
        async () =>
          lines()
            .filter(({ command: logged }) => logged === body.command_id)
            .map(({ msg }) => msg),
        (found) => found.length === 3,
      );
      // A process tells another one of the command, if that one holds the connection.
      const by = (message: string) =>
        hub.processes.findIndex(({ stderr }) =>
          stderr.some((line) => line.includes(body.command_id) && line.includes(message)),
        );
      const announced = lines().filter(({ commands }) => commands?.includes(body.command_id));
      const isTold = by("a command was ordered") !== by("a command was sent");
      expect(announced).toHaveLength(isTold ? 1 : 0);
    });

    test("tells the progress of firmware over connections, and the command that replaced another", async () => {
      const { account, channel, device, id } = await connected();
      const order = (version: string) =>
        request(hub.origin, "POST", `/devices/${id}/firmware`, { token: account.token, json: { version } });
      await publisher.publishFirmware(`7.0.${hub.processes.length}`);
      await publisher.publishFirmware(`7.1.${hub.processes.length}`);
      const first = (await order(`7.0.${hub.processes.length}`)).body.command_id;
      const sent = await channel.next("firmware.update");
      const progress = {
        type: "firmware.update.result",
        command_id: first,
        version: sent.version,
        success: null,
      };
      channel.send({ ...progress, state: "staged", error: null });
      await untilSteps(account, id, first, ["ordered", "sent", "progress"]);
      await channel.close();
      const again = await Channel.open(hub.origin, device.token);
      onTestFinished(() => again.cut());
      await again.next("firmware.update");
      const second = (await order(`7.1.${hub.processes.length}`)).body.command_id;
      const steps = await untilSteps(account, id, first, ["ordered", "sent", "progress", "sent", "replaced"]);
      expect(steps[0]).toMatchObject({ by: { kind: "account" } });
      expect(steps[2]).toMatchObject({ progress: "staged", connection: 1 });
      expect(steps[3]).toMatchObject({ connection: 2 });
      expect(steps[4]).toMatchObject({ replaced_by: second });
    });

    test("tells who cancelled a command, and why the hub did", async () => {
      const account = await madeAccount(hub);
      const device = await heldDevice(hub, account);
      const { deviceId: id, token } = device;
      const given = async (app: string) =>
        (await request(hub.origin, "DELETE", `/devices/${id}/apps/${app}`, account)).body.command_id;
      const [byDevice, expired] = [await given("one"), await given("two")];
      await request(hub.origin, "DELETE", `/devices/me/commands/${byDevice}`, { token });
      const cancelled = await untilSteps(account, id, byDevice, ["ordered", "cancelled"]);
      expect(cancelled[1]).toMatchObject({ by: { kind: "device" } });
      await withDatabase(hub, (database) =>
        database.updateTable("commands").set({ expires_at: 1 }).where("id", "=", expired).execute(),
      );
      const over = await untilSteps(account, id, expired, ["ordered", "cancelled"]);
      expect(over[1]).toMatchObject({ reason: "expired" });
    });

    test("lists connections and steps, newest first, and continues behind an entry", async () => {
      const { account, channel, id } = await connected();
      const { body } = await request(hub.origin, "DELETE", `/devices/${id}/apps/chess`, account);
      channel.answer(await channel.next("app.uninstall"));
      await untilSteps(account, id, body.command_id, ["ordered", "sent", "done"]);
      await channel.close();
      const kinds = (events: readonly Message[]) => events.map(({ kind }) => kind);
      const { events } = await eventually(
        () => get(account, `/devices/${id}/history`),
        (history) => kinds(history.events).includes("disconnected"),
      );
      expect(kinds(events).sort()).toEqual(["connected", "disconnected", "done", "ordered", "sent"]);
      expect(events[0]).toMatchObject({ kind: "disconnected", connection: 1 });
      const done = events.find(({ kind }: Message) => kind === "done");
      expect(done).toMatchObject({ command_id: body.command_id, command: "uninstall", app_id: "chess" });
      const paged: Message[] = [];
      let next = "";
      do {
        const page = await get(account, `/devices/${id}/history?per_page=2${next && `&after=${next}`}`);
        paged.push(...page.events);
        next = page.next ?? "";
      } while (next !== "");
      expect(paged).toEqual(events);
      const foreign = await request(hub.origin, "GET", `/devices/${id}/history?after=WyJ4Il0`, account);
      expect(foreign.body.error).toBe("bad_parameter");
    });

    test("tells each start of the console once, and those that nobody wanted as crashes", async () => {
      const { account, channel, device, id } = await connected();
      const starts = async () =>
        (await get(account, `/devices/${id}/history`)).events
          .filter(({ reset_reason }: Message) => reset_reason !== undefined)
          .map(({ kind, reset_reason, uptime_s }: Message) => [kind, reset_reason, uptime_s]);
      const first = { type: "device.started", boot: 0, reset_reason: "power_on", uptime_s: 9 };
      channel.send(first);
      await eventually(starts, ({ length }) => length === 1);
      await channel.close();
      const again = await Channel.open(hub.origin, device.token);
      onTestFinished(() => again.cut());
      again.send({ ...first, uptime_s: 60 });
      again.send({ type: "device.started", boot: 2 ** 32 - 1, reset_reason: "watchdog", uptime_s: 3 });
      expect(await eventually(starts, ({ length }) => length > 1)).toEqual([
        ["crashed", "watchdog", 3],
        ["restarted", "power_on", 9],
      ]);
      expect(await get(account, "/account/attention")).toMatchObject({ devices_crashed: 1 });
      const needing = (await get(account, "/account/devices?attention=true")).devices;
      expect(needing.map(({ device_id }: Message) => device_id)).toEqual([id]);
    });

    test("tells crashes of apps, with the lines of their stacks where the publisher has stored them", async () => {
      const { account, channel, id } = await connected();
      const app = await publisher.publishApp();
      const message = `"${app}" ended: trap: unreachable in drop@25 < main`;
      channel.send({ type: "app.crashed", app_id: app, version: "1.0.0", message });
      const { events } = await eventually(
        () => get(account, `/devices/${id}/history`),
        (history) => history.events.some(({ kind }: Message) => kind === "crashed"),
      );
      const [crash] = events;
      expect(crash).toMatchObject({ kind: "crashed", app_id: app, version: "1.0.0", message, connection: 1 });
      const path = `/devices/${id}/crashes/${crash.event_id}`;
      expect((await get(account, path)).error).toBe("lines_not_found");
      await publisher.storeLines(app, [{ offset: 0x25, file: "main.c", line: 12, name: "drop" }]);
      expect(await get(account, path)).toMatchObject({
        app_id: app,
        version: "1.0.0",
        message: `"${app}" ended: trap: unreachable in drop (main.c:12) < main`,
        stack: [{ function: "drop", file: "main.c", line: 12 }, { function: "main" }],
      });
      for (const none of [crash.event_id + 1000, 0, "x", "1e3", "9".repeat(40)])
        expect((await get(account, `/devices/${id}/crashes/${none}`)).error).toBe("event_not_found");
    });

    test("has few starts and crashes of a console that tells of many, and none of one that nobody holds", async () => {
      const { account, channel, device, id } = await connected();
      const kinds = async () =>
        (await get(account, `/devices/${id}/history?per_page=100`)).events.map(({ kind }: Message) => kind);
      const counted = async () => {
        const texts = await Promise.all(
          hub.origins.map(async (origin) => (await request(origin, "GET", "//metrics")).bytes.toString()),
        );
        return ["device", "app"].map((what) =>
          texts
            .map((text) => Number(new RegExp(`^svc_hub_${what}_crashes_total (d+)$`, "m").exec(text)?.[1]))
            .reduce((sum, count) => sum + count),
        );
      };
      const message = '"tetris" ended: trap: unreachable';
      const tell = (to: Channel, crashes: number) => {
        for (let boot = 0; boot < crashes; boot++) {
          to.send({ type: "device.started", boot, reset_reason: "crash", uptime_s: 1 });
          to.send({ type: "app.crashed", app_id: "tetris", version: "1.0.0", message });
        }
      };
      const before = await counted();
      tell(channel, 50);
      await channel.close(); // its end is stored after what it has told
      const told = await eventually(kinds, (all) => all.includes("disconnected"));
      expect(told.filter((kind: string) => kind === "crashed").length).toBeLessThan(10);

      await request(hub.origin, "DELETE", `/account/devices/${id}`, account);
      const free = await Channel.open(hub.origin, device.token);
      tell(free, 5);
      await free.close();
      expect(await counted()).toEqual(before.map((count) => count + 1)); // once an hour, of one that is held
    });

    test("is not that of the account that held the console before", async () => {
      const { account, channel, device, id } = await connected();
      const { body } = await request(hub.origin, "DELETE", `/devices/${id}/apps/chess`, account);
      await channel.next("app.uninstall");
      await untilSteps(account, id, body.command_id, ["ordered", "sent"]);
      await request(hub.origin, "DELETE", `/account/devices/${id}`, account);
      const next = await madeAccount(hub);
      const { body: me } = await request(hub.origin, "POST", "/devices/register", {
        json: device.registration,
      });
      expect((await claim(hub, next, me.claim_code)).status).toBe(200);
      expect((await get(next, `/devices/${id}/history`)).events).toEqual([]);
      expect(await stepsOf(next, id, body.command_id)).toEqual([]);
      expect((await get(account, `/devices/${id}/history`)).error).toBe("device_not_found");
    });

    // docs/spec/hub-api.md#history-kept
    test("ends after 90 days, and keeps the newest thousand events of a console", async () => {
      const account = await madeAccount(hub);
      const { deviceId: device_id } = await heldDevice(hub, account);
      const event = (at: number) => ({
        device_id,
        account_id: account.accountId,
        at,
        kind: "connected" as const,
        connection: 1,
        command_id: null,
        details: null,
      });
      const count = () =>
        withDatabase(hub, async (database) => {
          const rows = await database
            .selectFrom("device_events")
            .select("at")
            .where("device_id", "=", device_id)
            .orderBy("position")
            .execute();
          return rows.map(({ at }) => at);
        });
      const now = Date.now();
      const recent = Array.from({ length: EVENTS_LIMIT + 50 }, (_, index) => event(now + index));
      await withDatabase(hub, async (database) => {
        await database
          .insertInto("device_events")
          .values(event(now - 91 * DAY_MS))
          .execute();
        for (let at = 0; at < recent.length; at += 500)
          await database
            .insertInto("device_events")
            .values(recent.slice(at, at + 500))
            .execute();
      });
      const kept = await eventually(count, ({ length }) => length === EVENTS_LIMIT);
      expect(kept[0]).toBe(now + 50);
    });
  });
