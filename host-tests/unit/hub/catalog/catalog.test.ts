/** What the catalogue keeps in memory of the versions that are downloaded. */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Catalog, type CatalogOptions } from "../../../../hub/catalog/catalog.js";
import type { Database } from "../../../../hub/database/schema.js";
import { openMemoryDatabase } from "../database/temporary-database.js";

let database: Database;
let catalog: Catalog;
const statements: string[] = [];
beforeAll(async () => {
  database = await openMemoryDatabase((query) => void statements.push(query.sql));
  await sql`insert into publishers (id, name, token_hash, created_at) values ('p', 'p', 'p', 0)`.execute(
    database,
  );
  await sql`insert into apps (id, publisher_id, version, size_bytes, description, author, published_at, search_text)
    values ('game', 'p', '1.0.0', 1, '', '', 0, '')`.execute(database);
  await sql`insert into app_versions
    (app_id, version, version_order, sha256, size_bytes, signature, public_key, manifest, published_at)
    values ('game', '1.0.0', '', 'a', 1, '', 'k', '{}', 0)`.execute(database);
  const otherWriters = { stamp: () => 1, freshStamp: () => 1 };
  catalog = new Catalog({ database, dialect: "sqlite", otherWriters } as unknown as CatalogOptions);
});
afterAll(() => database.destroy());

test("a version is looked up once until the catalogue changes", async () => {
  for (let download = 0; download < 3; download++) {
    statements.length = 0;
    expect((await catalog.offered("game")).row.version).toBe("1.0.0");
  }
  expect(statements).toEqual([]);
});

test("a change that was stored and then failed, as its flush did, is seen", async () => {
  await catalog.offered("game");
  const write = async () => {
    await database.updateTable("apps").set({ retracted_at: 1 }).execute();
    throw new Error("the disk is gone");
  };
  await expect(catalog.clearingCaches(write)).rejects.toThrow("the disk is gone");
  await expect(catalog.offered("game")).rejects.toMatchObject({ code: "app_retracted" });
});
