/**
 * Migrations run by themselves, once, with any number of processes that start at once
 * (docs/spec/hub-api.md#many-processes).
 */
import path from "node:path";
import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import Sqlite from "libsql";
import pg from "pg";
import { afterEach, assert, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../../hub/database/migrate.js";
import { openDatabase } from "../../../hub/database/open-database.js";
import { HubDidNotStart } from "../hosts/hub-process.js";
import { CLUSTERED_HUB, EMBEDDED_HUB, HubUnderTest, type Surroundings } from "../hosts/hub-under-test.js";
import { createTestDatabase } from "../hosts/test-database.js";

type Row = Record<string, unknown>;
type Untyped = Kysely<Record<string, Row>>;

const AT_ONCE = 4;

const DATABASES = [
  {
    name: "SQLite",
    missing: EMBEDDED_HUB.missing,
    surroundings: async (): Promise<Surroundings> => ({ environment: {}, release: async () => {} }),
    open: ({ storagePath }: HubUnderTest) =>
      new SqliteDialect({
        database: new Sqlite(path.join(storagePath, "hub.db"), { timeout: 5000 }) as never,
      }),
  },
  {
    name: "PostgreSQL",
    missing: CLUSTERED_HUB.missing,
    surroundings: async (): Promise<Surroundings> => {
      const { url, drop } = await createTestDatabase();
      return { environment: { SVC_HUB_DATABASE_URL: url }, release: drop };
    },
    open: ({ environment }: HubUnderTest) =>
      new PostgresDialect({
        pool: new pg.Pool({ connectionString: `${environment["SVC_HUB_DATABASE_URL"]}` }),
      }),
  },
];

for (const { name, missing, surroundings, open } of DATABASES)
  describe.skipIf(missing)(`Processes that start at once on an empty ${name}`, () => {
    let hub: HubUnderTest;
    afterEach(() => hub.stop());
    const inDatabase = async <Result>(use: (database: Untyped) => Promise<Result>): Promise<Result> => {
      const database: Untyped = new Kysely({ dialect: open(hub) });
      try {
        return await use(database);
      } finally {
        await database.destroy();
      }
    };
    const rows = (table: string) =>
      inDatabase((database) => database.selectFrom(table).selectAll().execute());

    test("are one hub, whose tables were created once", async () => {
      hub = await HubUnderTest.start(AT_ONCE, await surroundings());
      assert.equal((await rows("hub")).length, 1);
      assert.deepEqual(
        (await rows("migrations")).map((row) => row["name"]),
        MIGRATIONS.map((migration) => migration.name),
      );
      assert.equal((await rows("processes")).length, AT_ONCE);
    });

    test("remove themselves when they end, and are the same hub when they start again", async () => {
      hub = await HubUnderTest.start(1, await surroundings());
      const [process] = hub.processes;
      const identity = async () =>
        (await rows("hub")).map(({ id, created_at, secret_check }) => [id, created_at, secret_check]);
      const before = await identity();
      await process?.stop();
      assert.deepEqual(await rows("processes"), []);
      await process?.restart();
      assert.deepEqual(await identity(), before);
    });

    test("do not change the tables of a newer hub", async () => {
      hub = await HubUnderTest.start(1, await surroundings());
      const [process] = hub.processes;
      await process?.stop();
      await inDatabase((database) =>
        database.insertInto("migrations").values({ name: "9999-later", migrated_at: 1 }).execute(),
      );
      const refusal = await process?.restart().catch((error: unknown) => error);
      assert.instanceOf(refusal, HubDidNotStart);
      assert.equal(refusal.status, 1);
      assert.include(refusal.stderr.at(-1), "9999-later");
    });
  });

describe.skipIf(CLUSTERED_HUB.missing)("PostgreSQL", () => {
  test("returns integers as numbers, as SQLite does", async () => {
    const { url, drop } = await createTestDatabase();
    const { database } = await openDatabase({ databaseUrl: url, storagePath: "." });
    const heartbeat_at = Date.now();
    await database.insertInto("processes").values({ id: "a", heartbeat_at }).execute();
    const row = await database
      .selectFrom("processes")
      .select(({ fn }) => [fn.countAll().as("count"), fn.sum("heartbeat_at").as("sum"), "heartbeat_at"])
      .groupBy("heartbeat_at")
      .executeTakeFirst();
    await database.destroy();
    await drop();
    expect(row).toEqual({ count: 1, sum: heartbeat_at, heartbeat_at });
  });
});
