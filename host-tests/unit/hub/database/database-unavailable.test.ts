/** Which errors of a driver say that the database cannot be used now, and what clients are told (docs/spec/hub-api.md#busy). */
import { sql } from "kysely";
import { assert, expect, test } from "vitest";
import { faultOf } from "../../../../hub/api/refusals.js";
import {
  DatabaseUnavailable,
  databaseError,
  requireWritable,
} from "../../../../hub/database/database-unavailable.js";
import { openTemporaryDatabase } from "./temporary-database.js";

const CODES = [
  {
    state: "away",
    codes: [
      "ECONNREFUSED",
      "ECONNRESET",
      "08006",
      "57P01",
      "57P03",
      "57014",
      "25P03",
      "53300",
      "SQLITE_BUSY",
    ],
    fault: "busy",
  },
  {
    state: "unwritable",
    codes: ["25006", "55000", "58030", "EROFS", "EIO", "SQLITE_READONLY", "SQLITE_IOERR_WRITE"],
    fault: "busy",
  },
  { state: "full", codes: ["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100"], fault: "storage_full" },
];
for (const { state, codes, fault } of CODES)
  for (const code of codes) {
    const error = Object.assign(new Error("of the driver"), { code });

    test(`${code} of a driver is a database that is ${state}, and gives ${fault}`, () => {
      const found = databaseError(error);
      assert.instanceOf(found, DatabaseUnavailable);
      assert.equal(found.state, state);
      assert.equal(found.code, code); // by which a transaction knows that it has collided
      assert.equal(faultOf(found).code, fault);
    });

    test(`${code} from elsewhere says nothing about the database`, () => {
      assert.equal(faultOf(error).code, "internal_error");
    });
  }

const MESSAGES = [
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Query read timeout",
];
for (const message of MESSAGES)
  test(`"${message}" of a driver gives busy`, () =>
    assert.equal(faultOf(databaseError(new Error(message))).code, "busy"));

test("an error in a statement does not give busy", () => {
  const error = Object.assign(new Error("syntax error"), { code: "42601" });
  assert.equal(databaseError(error), error);
  assert.equal(faultOf(error).code, "internal_error");
});

test("an SQLite that takes no writes answers reads, and writes with busy", async () => {
  const { database, close } = await openTemporaryDatabase();
  await requireWritable({ database, processId: "p" });
  await sql`pragma query_only = on`.execute(database);
  await database.selectFrom("hub").select("id").executeTakeFirstOrThrow();
  const write = () => database.insertInto("processes").values({ id: "p", heartbeat_at: 1 }).execute();
  for (const work of [write, () => requireWritable({ database, processId: "p" })])
    await expect(work()).rejects.toMatchObject({ name: "DatabaseUnavailable", state: "unwritable" });
  await sql`pragma query_only = off`.execute(database);
  await write();
  await close();
});
