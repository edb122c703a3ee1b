/** SQLite databases that are gone when they are closed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type CompiledQuery, Kysely, SqliteDialect } from "kysely";
import Sqlite from "libsql";
import { migrate } from "../../../../hub/database/migrate.js";
import { type OpenedDatabase, openDatabase } from "../../../../hub/database/open-database.js";
import type { Database, Tables } from "../../../../hub/database/schema.js";
import { openSqlite } from "../../../../hub/database/sqlite.js";

export interface TemporaryDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

/** A hub's, with all of its tables. */
export function openTemporaryDatabase(): Promise<OpenedDatabase & TemporaryDatabase> {
  return inDirectory((storagePath) => openDatabase({ storagePath, databaseUrl: undefined }));
}

/** One in memory, with all tables of a hub. @param onQuery is told each statement */
export async function openMemoryDatabase(onQuery?: (query: CompiledQuery) => void): Promise<Database> {
  const database = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: new Sqlite(":memory:") as never }),
    ...(onQuery && { log: ({ query }) => onQuery(query) }),
  });
  await migrate(database, "sqlite");
  return database;
}

/** One without any table. */
export function openEmptyDatabase(): Promise<TemporaryDatabase> {
  return inDirectory(async (storagePath) => ({
    database: new Kysely<Tables>({ dialect: openSqlite(storagePath).dialect }),
  }));
}

async function inDirectory<Opened extends { readonly database: Database }>(
  open: (directory: string) => Promise<Opened>,
): Promise<Opened & TemporaryDatabase> {
  const directory = await mkdtemp(path.join(tmpdir(), "hub-database-"));
  const opened = await open(directory);
  return {
    ...opened,
    close: async () => {
      await opened.database.destroy();
      await rm(directory, { recursive: true });
    },
  };
}
