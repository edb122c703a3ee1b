/** A console leaves its account while an update of the account's rollout sends to it: neither waits for the other in a circle. */
import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Accounts } from "../../../hub/accounts/accounts.js";
import { LocalBus } from "../../../hub/bus/bus.js";
import { Commands } from "../../../hub/commands/commands.js";
import { migrate } from "../../../hub/database/migrate.js";
import { postgresDialect } from "../../../hub/database/postgres.js";
import type { Database, Row, Tables } from "../../../hub/database/schema.js";
import { Devices } from "../../../hub/devices/devices.js";
import { lockRollout } from "../../../hub/rollouts/rollout-update.js";
import { isMissing } from "../../hosts/peers.js";
import { silentLogger } from "../hosts/silent-logger.js";
import { createTestDatabase, type TestDatabase } from "../hosts/test-database.js";
import { begunRollout } from "./begun-rollout.js";

const ACCOUNT = "account";

describe.skipIf(isMissing("postgres"))("While a rollout is updated", () => {
  let server: TestDatabase;
  let database: Database;
  let context: ConstructorParameters<typeof Accounts>[0];
  beforeAll(async () => {
    server = await createTestDatabase();
    database = new Kysely<Tables>({ dialect: postgresDialect(server.url, { onLost: () => {} }) });
    await migrate(database, "postgres");
    await database
      .insertInto("accounts")
      .values({ id: ACCOUNT, token_hash: ACCOUNT, created_at: 0 })
      .execute();
    const of = { database, dialect: "postgres", bus: new LocalBus(), logger: silentLogger, now: () => 1 };
    const commands = new Commands(of as never);
    context = { ...of, commands, authentication: { clearCache: () => {} } } as never;
  });
  afterAll(async () => {
    await database.destroy();
    await server.drop();
  });

  async function addDevice(id: string): Promise<Row<"devices">> {
    const device = { id, token_hash: id, mac: id, name: id, arch: "native", firmware_version: "1.0.0" };
    const rollout = begunRollout(`of ${id}`, ACCOUNT);
    await database.insertInto("rollouts").values(rollout).execute();
    const added = await database
      .insertInto("devices")
      .values({ ...device, account_id: ACCOUNT, registered_at: 0 })
      .returningAll()
      .executeTakeFirstOrThrow();
    await database
      .insertInto("rollout_devices")
      .values({ rollout_id: rollout.id, device_id: id, position: 0, state: "waiting", updated_at: 0 })
      .execute();
    return added;
  }

  /** Resolves when a statement waits for a lock. */
  const untilBlocked = () =>
    expect
      .poll(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          database,
        );
        return rows.length;
      })
      .toBe(1);

  const WAYS = [
    { name: "released", leave: ({ id }: Row<"devices">) => new Accounts(context).release(ACCOUNT, id) },
    {
      name: "retired",
      leave: (device: Row<"devices">) => new Devices(context).retire(device, context.commands, false),
    },
  ];
  for (const { name, leave } of WAYS)
    test(`a console that is ${name} keeps its row free for the update`, async () => {
      const device = await addDevice(name);
      let left: Promise<void> | undefined;
      await database.transaction().execute(async (transaction) => {
        await lockRollout(transaction, `of ${name}`);
        left = leave(device);
        await untilBlocked();
        await transaction
          .selectFrom("devices")
          .where("id", "=", name)
          .select("id")
          .forNoKeyUpdate()
          .noWait()
          .execute();
      });
      await left;
      const { state } = await database
        .selectFrom("rollout_devices")
        .select("state")
        .where("device_id", "=", name)
        .executeTakeFirstOrThrow();
      expect(state).toBe("cancelled");
    });
});
