/** Migrations: each once, and all or none. */
import { afterEach, assert, beforeEach, expect, test } from "vitest";
import { MIGRATIONS, migrate } from "../../../../hub/database/migrate.js";
import type { Database } from "../../../../hub/database/schema.js";
import { openEmptyDatabase, type TemporaryDatabase } from "./temporary-database.js";

let opened: TemporaryDatabase;
let database: Database;
beforeEach(async () => {
  opened = await openEmptyDatabase();
  database = opened.database;
});
afterEach(() => opened.close());

const tables = async () => (await database.introspection.getTables()).map(({ name }) => name).sort();

test("a database gets the migrations that it lacks alone, and keeps its rows", async () => {
  const id = await migrate(database, "sqlite");
  const later = {
    name: "0002-later",
    up: async (untyped: Parameters<(typeof MIGRATIONS)[number]["up"]>[0]) => {
      await untyped.schema.alterTable("hub").addColumn("later", "text").execute();
    },
  };
  for (let start = 0; start < 2; start++)
    assert.equal(await migrate(database, "sqlite", [...MIGRATIONS, later]), id);
  const hub = (await database.introspection.getTables()).find(({ name }) => name === "hub");
  assert.isTrue(hub?.columns.some(({ name }) => name === "later"));
});

test("the hub's id is created once", async () => {
  const id = await migrate(database, "sqlite");
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(await migrate(database, "sqlite"), id);
});

test("a failing migration rolls back itself and the ones before it in the same start", async () => {
  const failing = {
    name: "0002-failing",
    up: async (untyped: Parameters<(typeof MIGRATIONS)[number]["up"]>[0]) => {
      await untyped.schema.createTable("half").addColumn("id", "text").execute();
      throw new Error("of the migration");
    },
  };
  await expect(migrate(database, "sqlite", [...MIGRATIONS, failing])).rejects.toThrow("of the migration");
  assert.deepEqual(await tables(), []);
  await migrate(database, "sqlite");
});

test("a migration that collides with other processes is tried again as a whole", async () => {
  let tries = 0;
  const colliding = {
    name: "9999-colliding",
    up: async (untyped: Parameters<(typeof MIGRATIONS)[number]["up"]>[0]) => {
      await untyped.schema.createTable("once").addColumn("id", "text").execute();
      if (++tries === 1) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
    },
  };
  await migrate(database, "sqlite", [...MIGRATIONS, colliding]);
  expect(tries).toBe(2);
  assert.include(await tables(), "once");
});

test("the database of a newer hub is rejected, naming its unknown migration", async () => {
  const later = { name: "9999-later", up: async () => {} };
  await migrate(database, "sqlite", [...MIGRATIONS, later]);
  await expect(migrate(database, "sqlite")).rejects.toThrow("9999-later");
});
