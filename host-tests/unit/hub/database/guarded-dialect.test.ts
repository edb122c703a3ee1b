/** What a driver would not survive, or would not keep as it is, never reaches one. */
import { sql } from "kysely";
import { afterAll, assert, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../../hub/database/schema.js";
import { openTemporaryDatabase, type TemporaryDatabase } from "./temporary-database.js";

let opened: TemporaryDatabase;
let database: Database;
beforeAll(async () => {
  opened = await openTemporaryDatabase();
  database = opened.database;
});
afterAll(() => opened.close());

const echo = async (value: unknown) =>
  (await sql<{ value: unknown }>`select ${value} as value`.execute(database)).rows[0]?.value;

for (const value of ["", "text", "Ω 🎮", 0, -1, 1.5, Date.now(), Number.MAX_SAFE_INTEGER, null])
  test(`${JSON.stringify(value)} is stored unchanged`, async () => assert.equal(await echo(value), value));

test("a text with a NUL is the client's fault", async () => {
  await expect(echo("te\0xt")).rejects.toMatchObject({ code: "bad_parameter" });
});

for (const value of [true, undefined, {}, [], new Date(), 10n, Symbol("symbol"), new Uint8Array(1)])
  test(`${typeof value} ${Object.prototype.toString.call(value)} is a TypeError`, async () => {
    await expect(echo(value)).rejects.toThrow(TypeError);
  });

test("a rejected transaction leaves nothing, and the next one succeeds", async () => {
  const insert = (value: unknown) =>
    database.transaction().execute(async (transaction) => {
      await transaction.insertInto("processes").values({ id: "p", heartbeat_at: 1 }).execute();
      await sql`select ${value}`.execute(transaction);
    });
  await expect(insert("\0")).rejects.toMatchObject({ code: "bad_parameter" });
  await insert("fine");
  const rows = await database.selectFrom("processes").selectAll().execute();
  assert.deepEqual(rows, [{ id: "p", heartbeat_at: 1 }]);
});

test("a statement works again after a failure", async () => {
  const insert = () => database.insertInto("processes").values({ id: "twice", heartbeat_at: 1 }).execute();
  await insert();
  await expect(insert()).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
  await database.deleteFrom("processes").where("id", "=", "twice").execute();
  await insert();
});

test("more statements than the cache holds all work", async () => {
  for (let index = 0; index < 600; index += 1) {
    const { rows } = await sql<{ value: number }>`select ${sql.lit(index)} as value`.execute(database);
    assert.equal(rows[0]?.value, index);
  }
});
