/**
 * A later migration, invented here, on PostgreSQL, while processes of the version before work
 * (docs/spec/hub-api.md#upgrade): it runs once, fails none of their statements, and loses nothing that they store.
 */
import { setImmediate } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MIGRATIONS, migrate } from "../../../hub/database/migrate.js";
import { postgresDialect } from "../../../hub/database/postgres.js";
import type { Database, Tables } from "../../../hub/database/schema.js";
import { retriedTransaction } from "../../../hub/database/transactions.js";
import { isMissing } from "../../hosts/peers.js";
import { createTestDatabase, type TestDatabase } from "../hosts/test-database.js";

const FORMER_PROCESSES = 4;
const NEW_PROCESSES = 4;
/** Statements of each former process before the first new one starts, and after the last has. */
const WORK = 50;

/** As later ones will be: a column that may be null, and an index. */
const LATER = {
  name: "0002-later",
  up: async (database: Parameters<(typeof MIGRATIONS)[number]["up"]>[0]) => {
    await sql`alter table processes add column later text`.execute(database);
    await sql`create index processes_by_heartbeat on processes (heartbeat_at)`.execute(database);
  },
};

describe.skipIf(isMissing("postgres"))("A later migration on PostgreSQL", () => {
  let server: TestDatabase;
  const opened: Database[] = [];
  const open = () => {
    const database = new Kysely<Tables>({ dialect: postgresDialect(server.url, { onLost: () => {} }) });
    opened.push(database);
    return database;
  };
  beforeAll(async () => {
    server = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.destroy()));
    await server?.drop();
  });

  test("runs once for all new processes, while those of the version before store what they store", async () => {
    const hubId = await migrate(open(), "postgres");
    const stored = new Array<number>(FORMER_PROCESSES).fill(0);
    let isOver = false;
    const work = async (index: number) => {
      const database = open();
      await database
        .insertInto("processes")
        .values({ id: `${index}`, heartbeat_at: 0 })
        .execute();
      while (!isOver)
        await retriedTransaction(database, async (transaction) => {
          await transaction
            .updateTable("processes")
            .set(({ eb }) => ({ heartbeat_at: eb("heartbeat_at", "+", 1) }))
            .where("id", "=", `${index}`)
            .execute();
        }).then(() => {
          stored[index] = (stored[index] ?? 0) + 1;
        });
    };
    const working = Promise.all(stored.map((_, index) => work(index)));
    const moreWork = async () => {
      const enough = stored.map((count) => count + WORK);
      while (stored.some((count, index) => count < (enough[index] ?? 0)))
        await Promise.race([working, setImmediate()]);
    };
    await moreWork();
    const starts = Array.from({ length: NEW_PROCESSES }, () =>
      migrate(open(), "postgres", [...MIGRATIONS, LATER]),
    );
    expect(new Set(await Promise.all(starts))).toEqual(new Set([hubId]));
    await moreWork();
    isOver = true;
    await working;

    const database = open();
    const rows = await database
      .selectFrom("processes")
      .select(["id", "heartbeat_at"])
      .orderBy("id")
      .execute();
    expect(rows.map(({ heartbeat_at }) => heartbeat_at)).toEqual(stored);
    const done = await sql<{ name: string }>`select name from migrations order by name`.execute(database);
    expect(done.rows.map(({ name }) => name)).toEqual([...MIGRATIONS, LATER].map(({ name }) => name));
  });

  test("is nothing that a process of the version before starts on", async () => {
    await expect(migrate(open(), "postgres")).rejects.toThrow(LATER.name);
  });
});
