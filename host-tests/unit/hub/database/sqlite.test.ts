import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../../hub/database/open-database.js";
import type { Database } from "../../../../hub/database/schema.js";

let storagePath: string;
let database: Database;
beforeEach(async () => {
  storagePath = await mkdtemp(path.join(tmpdir(), "sqlite-"));
  database = (await openDatabase({ storagePath, databaseUrl: undefined })).database;
});
afterEach(async () => {
  await database.destroy();
  await rm(storagePath, { recursive: true });
});

test("The connection is given to those who wait for it in their order, also after one that has failed", async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    await database.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      order.push(name);
      if (name === "b") throw new Error("It has failed");
      await sql`select 2`.execute(transaction);
    });
  };
  const ends = await Promise.allSettled(["a", "b", "c", "d"].map(work));
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(order).toEqual(["a", "b", "c", "d"]);
});
