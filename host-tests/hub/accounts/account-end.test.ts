/** The end of an account (docs/spec/hub-api.md#account-end). */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../hub/database/schema.js";
import { dialectOf } from "../../../hub/database/transactions.js";
import { heldDevice } from "../api/people.js";
import { addGroup, addMember, World } from "../api/world.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { Channel, eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";

/** Names of the tables with rows of accounts. */
const TABLES = Object.freeze({
  sqlite: sql`
    select tables.name from sqlite_schema as tables
    join pragma_table_info(tables.name) as columns on columns.name = 'account_id' where tables.type = 'table'`,
  postgres: sql`
    select table_name as name from information_schema.columns
    where column_name = 'account_id' and table_schema = current_schema()`,
});

/** Numbers of rows of an account, by table, as far as there are any. */
async function rowsOf(database: Database, accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = async (table: string, from: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count ${from}`.execute(database);
    if (Number(rows[0]?.count) > 0) counts[table] = Number(rows[0]?.count);
  };
  const { rows: tables } = await sql<{ name: string }>`${TABLES[dialectOf(database)]}`.execute(database);
  for (const { name } of tables)
    await count(name, sql`from ${sql.table(name)} where account_id = ${accountId}`);
  await count(
    "rollout_devices",
    sql`from rollout_devices join rollouts on rollouts.id = rollout_id where account_id = ${accountId}`,
  );
  return counts;
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The end of an account on ${name}`, () => {
    let hub: HubUnderTest;
    let world: World;
    beforeAll(async () => {
      hub = await start();
      world = await World.make(hub);
    });
    afterAll(async () => {
      await hub?.stop();
      expect(hub?.errors).toEqual([]);
    });

    test("deletes all that the hub keeps of it but the entry of its end, and nothing of another account", async () => {
      const { account, device, tokens } = world;
      const other = `${tokens["other account"]}`;
      await addMember(hub, other, "viewer");
      await addGroup(hub, other);
      const { account_id: otherId } = (await world.ask(other, "GET", "/account")).body;
      await world.group();
      await world.webhook();
      await world.crash();
      const tags = { json: { tags: ["shop"] } };
      await world.ask(account.token, "PUT", `/devices/${device.deviceId}/tags`, tags);
      const command = await world.command();
      const rollouts = [await world.rollout(), await world.rollout()];
      const channel = await Channel.open(hub.origin, device.token);
      channel.answer(await channel.next("app.uninstall"), { success: true, error: null });
      const steps = async () => {
        const path = `/devices/${device.deviceId}/commands/${command}/timeline`;
        return (await world.ask(account.token, "GET", path)).body.steps;
      };
      await eventually(steps, (all) => all.some(({ step }: never) => step === "done"));
      await channel.close();
      const tables = ["account_tokens", "audit", "device_events", "device_groups", "device_tags", "devices"];
      await eventually(
        () => withDatabase(hub, (database) => rowsOf(database, account.accountId)),
        (counts) =>
          [...tables, "rollout_devices", "rollouts", "webhooks"].every((table) => `${table}` in counts),
      );
      const before = await withDatabase(hub, (database) => rowsOf(database, otherId));

      expect((await world.ask(account.token, "DELETE", "/account")).status).toBe(204);
      const left = await eventually(
        () => withDatabase(hub, (database) => rowsOf(database, account.accountId)),
        (counts) => "audit" in counts,
      );
      expect(left).toEqual({ audit: 1 });
      const [entry, commands] = await withDatabase(hub, async (database) => [
        await database
          .selectFrom("audit")
          .select(["action", "status"])
          .where("account_id", "=", account.accountId)
          .execute(),
        await database.selectFrom("commands").selectAll().where("device_id", "=", device.deviceId).execute(),
      ]);
      expect([entry, commands]).toEqual([[{ action: "DELETE /account", status: 204 }], []]);
      for (const rollout of rollouts)
        expect((await world.ask(other, "GET", `/rollouts/${rollout}`)).body.error).toBe("rollout_not_found");
      for (const token of [account.token, tokens.owner, tokens.viewer, tokens["reading program"]])
        expect((await world.ask(token, "GET", "/account")).status).toBe(401);
      expect(await withDatabase(hub, (database) => rowsOf(database, otherId))).toEqual(before);
    });

    test("is one, however often it is asked for at once, with the requests that come meanwhile", async () => {
      const { body } = await world.ask(undefined, "POST", "/accounts");
      const token = body.account_token;
      const owner = { accountId: body.account_id, token };
      const devices = await Promise.all(Array.from({ length: 4 }, () => heldDevice(hub, owner)));
      const app_id = await world.app();
      const rollOut = () => world.ask(token, "POST", "/rollouts", { json: { kind: "app", app_id } });
      await Promise.all([rollOut(), rollOut()]);
      const asked = await Promise.all([
        ...Array.from({ length: 4 }, () => world.ask(token, "DELETE", "/account")),
        ...devices.map(({ deviceId }) => world.ask(token, "DELETE", `/devices/${deviceId}/apps/bricks`)),
        ...[addGroup(hub, token), addMember(hub, token, "owner")].map((made) => made.catch(() => undefined)),
      ]);
      for (const answer of asked)
        if (answer && typeof answer === "object" && "status" in answer)
          expect([200, 201, 202, 204, 401, 404]).toContain(answer.status);
      expect((await world.ask(token, "GET", "/account")).status).toBe(401);
      const held = await withDatabase(hub, (database) =>
        database.selectFrom("devices").select("id").where("account_id", "=", body.account_id).execute(),
      );
      expect(held).toEqual([]);
    });

    test("deletes more than fits into one statement", async () => {
      const { body } = await world.ask(undefined, "POST", "/accounts");
      const row = {
        actor: "account" as const,
        action: "POST /rollouts",
        names: "{}",
        address: "",
        status: 201,
      };
      await withDatabase(hub, async (database) => {
        for (let piece = 0; piece < 25; piece++)
          await database
            .insertInto("audit")
            .values(
              Array.from({ length: 100 }, () => ({
                ...row,
                account_id: body.account_id,
                at: Date.now(),
              })).map((entry) => ({ ...entry, actor_id: null, actor_name: null })),
            )
            .execute();
      });
      expect((await world.ask(body.account_token, "DELETE", "/account")).status).toBe(204);
      const left = await eventually(
        () => withDatabase(hub, (database) => rowsOf(database, body.account_id)),
        (counts) => "audit" in counts,
      );
      expect(left).toEqual({ audit: 1 });
    });
  });
