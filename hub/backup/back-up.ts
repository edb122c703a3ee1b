/**
 * Backs up a hub that may be running. The rows are those of one moment: a snapshot of SQLite, a `repeatable read`
 * transaction of PostgreSQL. The files are copied afterwards: a file that a row names is there, and never changes.
 */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import { Kysely, SqliteDialect, sql } from "kysely";
import Sqlite from "libsql";
import { storedSecret } from "../config/provide-secret.js";
import type { Database, Dialect, Tables } from "../database/schema.js";
import type { FileStore } from "../files/file-store.js";
import { BACKED_UP, BACKUP_FILE, BACKUP_FORMAT, type BackupDescription } from "./backup-format.js";

/** Rows to read at once: those of devices have some kilobytes. */
const ROWS_AT_ONCE = 1000;

interface BackUpContext {
  readonly database: Database;
  readonly dialect: Dialect;
  readonly files: Pick<FileStore, "read">;
  readonly storagePath: string;
}

type StoredRow = Readonly<Record<string, unknown>>;

/**
 * @param directory a new one
 * @throws {Fault} `file_damaged` if the hub misses a file; the backup is then incomplete
 * @throws {Error} if the directory exists, or cannot be written
 */
export async function backUp(context: BackUpContext, directory: string): Promise<BackupDescription> {
  await mkdir(directory);
  for (const name of ["tables", "files"]) await mkdir(path.join(directory, name));
  const { hashes, ...rows } = await backUpRows(context, directory);
  const files = await copyFiles(context.files, directory, hashes);
  const secret = await storedSecret(context.storagePath);
  if (secret !== undefined)
    await writeFile(path.join(directory, "secret"), `${secret}\n`, { mode: 0o600, flush: true });
  const description: BackupDescription = {
    format: BACKUP_FORMAT,
    created_at: new Date().toISOString(),
    ...rows,
    files,
  };
  await writeFile(path.join(directory, BACKUP_FILE), `${JSON.stringify(description, undefined, 2)}\n`, {
    flush: true,
  });
  return description;
}

interface BackedUpRows extends Pick<BackupDescription, "hub_id" | "migrations" | "tables"> {
  /** Of all files that rows name. */
  readonly hashes: ReadonlySet<string>;
}

async function backUpRows({ database, dialect }: BackUpContext, directory: string): Promise<BackedUpRows> {
  if (dialect === "postgres")
    return database
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute((transaction) => writeTables(transaction, rowsOfPostgres, directory));
  const snapshot = path.join(directory, "snapshot.db");
  await sql`vacuum into ${snapshot}`.execute(database); // does not block the hub's writers
  const opened = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: new Sqlite(snapshot) as never }),
  });
  try {
    return await writeTables(opened, rowsOfSqlite, directory);
  } finally {
    await opened.destroy();
    await rm(snapshot);
  }
}

async function writeTables(
  database: Database,
  rowsOf: typeof rowsOfSqlite,
  directory: string,
): Promise<BackedUpRows> {
  const tables: Record<string, number> = {};
  const hashes = new Set<string>();
  for (const table of BACKED_UP) {
    const file = path.join(directory, "tables", `${table}.jsonl`);
    const output = createWriteStream(file, { mode: 0o600, flush: true });
    tables[table] = 0;
    for await (const rows of rowsOf(database, table)) {
      tables[table] += rows.length;
      for (const { sha256, icon_sha256, lines_sha256 } of rows)
        for (const hash of [sha256, icon_sha256, lines_sha256])
          if (typeof hash === "string") hashes.add(hash);
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
      if (!output.write(text)) await once(output, "drain");
    }
    output.end();
    await finished(output);
  }
  const { rows: done } = await sql<{ readonly name: string }>`
    select name from migrations order by name`.execute(database);
  const { id } = await database.selectFrom("hub").select("id").executeTakeFirstOrThrow();
  return { hub_id: id, migrations: done.map(({ name }) => name), tables, hashes };
}

async function* rowsOfSqlite(database: Database, table: string): AsyncGenerator<readonly StoredRow[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<StoredRow & { readonly row_number: number }>`
      select rowid as row_number, * from ${sql.table(table)} where rowid > ${after}
      order by rowid limit ${ROWS_AT_ONCE}`.execute(database);
    const last = rows.at(-1);
    if (!last) return;
    after = last.row_number;
    yield rows.map(({ row_number, ...row }) => row);
  }
}

/** Call it in a transaction, in which cursors live. */
async function* rowsOfPostgres(database: Database, table: string): AsyncGenerator<readonly StoredRow[]> {
  await sql`declare backup no scroll cursor for select * from ${sql.table(table)}`.execute(database);
  for (;;) {
    const { rows } = await sql<StoredRow>`fetch ${sql.lit(ROWS_AT_ONCE)} from backup`.execute(database);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close backup`.execute(database);
}

/** @returns the names of the files, sorted */
async function copyFiles(
  store: Pick<FileStore, "read">,
  directory: string,
  hashes: ReadonlySet<string>,
): Promise<string[]> {
  const names = [...hashes].sort();
  for (const sha256 of names)
    await writeFile(path.join(directory, "files", sha256), await store.read(sha256), { flush: true });
  return names;
}
