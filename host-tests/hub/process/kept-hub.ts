/** A hub of version 0.1.0 with something of everything in it (host-tests/fixtures/0.1.0/hub), on either kind of database. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { Kysely, PostgresDialect, SqliteDialect, sql } from "kysely";
import Sqlite from "libsql";
import pg from "pg";
import { MIGRATIONS, migrate } from "../../../hub/database/migrate.js";
import type { Database } from "../../../hub/database/schema.js";
import { createTestDatabase } from "../hosts/test-database.js";

export const KEPT = path.join(import.meta.dirname, "../../fixtures/0.1.0/hub");
/** Who is in it, with their tokens. */
export const people = JSON.parse(await readFile(path.join(KEPT, "people.json"), "utf8"));

/** The storage and the database of 0.1.0, before any process of this version has started on them. */
export interface KeptHub {
  readonly environment: Readonly<Record<string, string>>;
  readonly release: () => Promise<void>;
}

export async function keptOnSqlite(): Promise<KeptHub> {
  const storage = await mkdtemp(path.join(tmpdir(), "hub-0.1.0-"));
  await cp(path.join(KEPT, "files"), path.join(storage, "files"), { recursive: true });
  await cp(path.join(KEPT, "files.hub"), path.join(storage, "files.hub"));
  await writeFile(path.join(storage, "hub.db"), gunzipSync(await readFile(path.join(KEPT, "hub.db.gz"))));
  const environment = {
    ...{ SVC_HUB_HOST: "127.0.0.1", SVC_HUB_PORT: "0", SVC_HUB_SECRET: people.secret },
    SVC_HUB_STORAGE_PATH: storage,
  };
  return { environment, release: () => rm(storage, { recursive: true, force: true }) };
}

/** The same rows, in the tables that 0.1.0 made there. */
export async function keptOnPostgres(): Promise<KeptHub> {
  const { environment, release } = await keptOnSqlite();
  const { url, drop } = await createTestDatabase();
  const file = path.join(`${environment["SVC_HUB_STORAGE_PATH"]}`, "hub.db");
  type Untyped = Kysely<Record<string, Record<string, unknown>>>;
  const from: Untyped = new Kysely({ dialect: new SqliteDialect({ database: new Sqlite(file) as never }) });
  const to: Untyped = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
  });
  await migrate(to as unknown as Database, "postgres", MIGRATIONS.slice(0, 1));
  await sql`delete from hub`.execute(to);
  for (const table of [
    ...["hub", "publishers", "publisher_keys", "accounts", "devices", "apps", "app_versions", "firmware"],
    ...["device_apps", "commands"],
  ])
    for (const row of await from.selectFrom(table).selectAll().execute())
      await to.insertInto(table).values(row).execute();
  await sql`select setval(pg_get_serial_sequence('commands', 'position'), max(position)) from commands`.execute(
    to,
  );
  await Promise.all([from.destroy(), to.destroy()]);
  return {
    environment: { ...environment, SVC_HUB_DATABASE_URL: url },
    release: async () => {
      await drop();
      await release();
    },
  };
}
