/** What is kept of the tokens of requests. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Authentication } from "../../../../hub/auth/authentication.js";
import { makeAccountToken, TokenHasher } from "../../../../hub/auth/tokens.js";
import type { Database } from "../../../../hub/database/schema.js";
import { openMemoryDatabase } from "../database/temporary-database.js";

let database: Database;
let token: string;
let authentication: Authentication;
const statements: string[] = [];
const hasher = new TokenHasher("a secret of the hub's, long enough");
beforeAll(async () => {
  database = await openMemoryDatabase((query) => void statements.push(query.sql));
  token = makeAccountToken();
  await database
    .insertInto("accounts")
    .values({ id: "account", token_hash: hasher.hash(token), created_at: 0 })
    .execute();
});
afterAll(() => database.destroy());
beforeEach(() => {
  const otherWriters = { stamp: () => 1, freshStamp: () => 1 };
  authentication = new Authentication({ database, hasher, otherWriters, now: () => 0 });
});

/** The statements for the second of two requests with this field. */
async function statementsOfSecond(field: string): Promise<number> {
  for (let request = 0; request < 2; request++) {
    statements.length = 0;
    expect(await authentication.caller(field)).toMatchObject({ kind: "account", accountId: "account" });
  }
  return statements.length;
}

test("An account's token is looked up once", async () => {
  await authentication.caller(`Bearer ${token}`); // the first request only learns the database's stamp
  expect(await statementsOfSecond(`Bearer ${token}`)).toBe(0);
});

test("A token behind hundreds of spaces is looked up each time: each number of spaces would fill the memory", async () => {
  await authentication.caller(`Bearer ${token}`);
  expect(await statementsOfSecond(`Bearer${" ".repeat(300)}${token}`)).toBeGreaterThan(0);
});
