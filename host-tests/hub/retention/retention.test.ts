/** What ends by itself, and what is deleted (docs/spec/hub-api.md#retention). Times are moved in the database. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import type { NewRow } from "../../../hub/database/schema.js";
import { heldDevice, madeAccount, registeredDevice, type TestDevice } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appsOf, commandOf, eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { NEVER_ANSWERS, SUCCEEDS } from "../rollouts/fleet.js";
import { type App, Fleet, newApp } from "../rollouts/rolling.js";

const DAY_MS = 24 * 3_600_000;

// At the same time, since each of them waits for the hub's next sweep.
for (const { name, missing, start } of HUBS)
  describe.skipIf(missing).concurrent(`With time, on ${name}`, () => {
    let hub: HubUnderTest;
    let app: App;
    beforeAll(async () => {
      hub = await start();
      app = await newApp(hub);
    });
    afterAll(() => hub?.stop());

    const install = (device: TestDevice, json?: unknown) =>
      request(hub.origin, "POST", `/devices/me/apps/${app.app_id}/install`, { token: device.token, json });
    const fleetOf = async ({ onTestFinished }: TestContext, behaviour: typeof SUCCEEDS) => {
      const fleet = await Fleet.connect(hub, 2, behaviour);
      onTestFinished(() => fleet.close());
      return { fleet, rollout: await fleet.rollOut({ kind: "app", app_id: app.app_id }) };
    };

    // docs/spec/hub-api.md#command-expiry
    test("a pending command expires: it is cancelled, and its app is no longer requested", async () => {
      const device = await registeredDevice(hub);
      const { command_id } = (await install(device, { expires_in_s: 3600 })).body;
      const { created_at, expires_at } = await commandOf(hub.origin, device, command_id);
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBeLessThanOrEqual(3_600_000);
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBeGreaterThan(3_500_000);
      await withDatabase(hub, (database) =>
        database.updateTable("commands").set({ expires_at: 1 }).where("id", "=", command_id).execute(),
      );
      const over = await eventually(
        () => commandOf(hub.origin, device, command_id),
        ({ state }) => state !== "queued",
      );
      expect(over).toMatchObject({ state: "cancelled", error: "command_expired" });
      expect(over).not.toHaveProperty("expires_at");
      expect(await appsOf(hub.origin, device)).toEqual([]);
    });

    test("a command of a process that writes no time expires too, 90 days after it was given", async () => {
      const device = await registeredDevice(hub);
      const ids = [(await install(device)).body.command_id];
      const other = await request(hub.origin, "DELETE", "/devices/me/apps/other", device);
      ids.push(other.body.command_id);
      const ages = [91 * DAY_MS, 89 * DAY_MS];
      await withDatabase(hub, async (database) => {
        for (const [index, id] of ids.entries())
          await database
            .updateTable("commands")
            .set({ expires_at: null, created_at: Date.now() - (ages[index] ?? 0) })
            .where("id", "=", id)
            .execute();
      });
      await eventually(
        () => commandOf(hub.origin, device, ids[0]),
        ({ state }) => state === "cancelled",
      );
      expect(await commandOf(hub.origin, device, ids[1])).toMatchObject({ state: "queued" });
    });

    for (const expires_in_s of [59, 0, -1, 1.5, "60", 36_500 * 24 * 3600 + 1])
      test(`an order that expires in ${expires_in_s} s is rejected`, async () => {
        const device = await registeredDevice(hub);
        expect((await install(device, { expires_in_s })).body.error).toBe("bad_parameter");
      });

    // docs/spec/hub-rollouts.md#expiry
    test("a rollout expires: it stops, and its commands are cancelled", async (context) => {
      const { fleet, rollout } = await fleetOf(context, NEVER_ANSWERS);
      await fleet.untilTold(2);
      expect(Date.parse(rollout.expires_at) - Date.parse(rollout.created_at)).toBe(90 * DAY_MS);
      await withDatabase(hub, (database) =>
        database
          .updateTable("rollouts")
          .set({ expires_at: 1 })
          .where("id", "=", rollout.rollout_id)
          .execute(),
      );
      const over = await fleet.untilState(rollout, "stopped");
      expect(over.reason).toContain("time");
      expect(over.total).toMatchObject({ cancelled: 2, sent: 0 });
      for (const { device } of fleet.consoles) {
        const { body } = await request(hub.origin, "GET", "/devices/me/commands", { token: device.token });
        expect(body.commands).toMatchObject([{ state: "cancelled" }]);
      }
    });

    test("an ended rollout and its consoles are deleted 90 days later", async (context) => {
      const { fleet, rollout } = await fleetOf(context, SUCCEEDS);
      const { rollout: kept, fleet: other } = await fleetOf(context, SUCCEEDS);
      for (const each of [fleet, other]) await each.untilState(each === fleet ? rollout : kept, "completed");
      const { rollout_id } = rollout;
      await withDatabase(hub, async (database) => {
        for (const [id, days] of [
          [rollout_id, 91],
          [kept.rollout_id, 89],
        ])
          await database
            .updateTable("rollouts")
            .set({ updated_at: Date.now() - days * DAY_MS })
            .where("id", "=", id)
            .execute();
      });
      const gone = await eventually(
        () => fleet.ask("GET", `/rollouts/${rollout_id}`),
        ({ status }) => status !== 200,
      );
      expect(gone.body.error).toBe("rollout_not_found");
      const left = await withDatabase(hub, (database) =>
        database.selectFrom("rollout_devices").selectAll().where("rollout_id", "=", rollout_id).execute(),
      );
      expect(left).toEqual([]);
      expect((await other.look(kept)).state).toBe("completed");
    });

    // docs/spec/hub-api.md#audit
    test("an entry of an audit log is deleted 90 days later", async () => {
      const account = await madeAccount(hub);
      for (const id of ["first", "second"])
        await request(hub.origin, "DELETE", `/account/tokens/${id}`, { token: account.token });
      const list = async (): Promise<{ readonly names: { readonly token_id: string } }[]> =>
        (await request(hub.origin, "GET", "/account/audit", { token: account.token })).body.entries;
      await eventually(list, ({ length }) => length === 2);
      await withDatabase(hub, async (database) => {
        for (const [id, days] of [["first", 91] as const, ["second", 89] as const])
          await database
            .updateTable("audit")
            .set({ at: Date.now() - days * DAY_MS })
            .where("account_id", "=", account.accountId)
            .where("names", "=", JSON.stringify({ token_id: id }))
            .execute();
      });
      const left = await eventually(list, ({ length }) => length < 2);
      expect(left.map(({ names }) => names.token_id)).toEqual(["second"]);
    });

    // docs/spec/hub-api.md#command-limit
    test("of a console that gets commands from rollouts alone, the newest hundred ended ones stay", async () => {
      const device = await heldDevice(hub, await madeAccount(hub));
      const rows = Array.from(
        { length: 150 },
        (_, index): NewRow<"commands"> => ({
          id: randomUUID(),
          device_id: device.deviceId,
          kind: "install",
          subject: `app-${index}`,
          version: "1.0.0",
          state: "done",
          rollout_id: "r",
          created_at: index,
          updated_at: index,
        }),
      );
      await withDatabase(hub, (database) => database.insertInto("commands").values(rows).execute());
      const list = () => request(hub.origin, "GET", "/devices/me/commands?per_page=100", device);
      const { body } = await eventually(list, (answer) => answer.body.total < 150);
      expect(body.total).toBe(100);
      expect(body.commands.at(-1).app_id).toBe("app-50");
    });
  });
