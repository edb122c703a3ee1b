/**
 * Restores a hub from a backup, where there is no hub yet. The rows go into the tables of the backup's own version, which
 * then migrate as at any upgrade; all rows are written in one transaction, or none.
 */
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { sql, type Transaction } from "kysely";
import { storedSecret } from "../config/provide-secret.js";
import { type HubConfig, readConfig } from "../config/read-config.js";
import { ConfigError, type Environment } from "../config/variables.js";
import { MIGRATIONS, migrate } from "../database/migrate.js";
import { connect, openDatabase } from "../database/open-database.js";
import type { Database, Dialect, Tables } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";
import { makeDirectory } from "../files/content-store.js";
import { openFileStore } from "../files/file-store.js";
import { BACKED_UP, BACKUP_FILE, BACKUP_FORMAT, type BackupDescription, LEFT_OUT } from "./backup-format.js";

const ROWS_AT_ONCE = 1000;

/** Columns that PostgreSQL numbers itself, from the highest number on. */
const NUMBERED: Readonly<Record<string, string>> = Object.freeze({
  ...{ commands: "position", audit: "position", webhook_deliveries: "position", device_events: "position" },
});

/**
 * @param environment of the new hub
 * @throws {ConfigError} if the directory is not a backup that this version can read, for unusable settings, for a secret
 *   that is not the hub's, and if there is a hub already
 * @throws {Error} if a file of the backup is damaged; then nothing is restored but files
 */
export async function restoreHub(environment: Environment, directory: string): Promise<BackupDescription> {
  const description = await readDescription(directory);
  const { storagePath } = await readConfig(environment, undefined, async () => "");
  await makeDirectory(storagePath);
  const config = await readConfig(environment, undefined, () => providedSecret(directory, storagePath));
  await restoreFiles(directory, config, description);
  await restoreRows(config, directory, description);
  const { database } = await openDatabase(config, undefined, false); // migrates further, and checks the secret
  await database.destroy();
  return description;
}

async function readDescription(directory: string): Promise<BackupDescription> {
  let description: BackupDescription;
  try {
    description = JSON.parse(await readFile(path.join(directory, BACKUP_FILE), "utf8"));
  } catch (cause) {
    throw new ConfigError(`Cannot restore from "${directory}": it is not a complete backup of a hub`, {
      cause,
    });
  }
  if (description.format !== BACKUP_FORMAT)
    throw new ConfigError(`Cannot restore from "${directory}": it is a backup of a newer hub`);
  const known = MIGRATIONS.slice(0, description.migrations.length).map(({ name }) => name);
  if (known.join() !== description.migrations.join())
    throw new ConfigError(`Cannot restore from "${directory}": it is a backup of a newer hub`);
  return description;
}

/** The secret of the backup goes where a hub stores its own. */
async function providedSecret(directory: string, storagePath: string): Promise<string> {
  const stored = await storedSecret(storagePath);
  if (stored !== undefined) return stored;
  const secret = await storedSecret(directory);
  if (secret === undefined)
    throw new ConfigError("Set SVC_HUB_SECRET to that of the hub: the backup does not contain it");
  await writeFile(path.join(storagePath, "secret"), `${secret}\n`, { mode: 0o600, flag: "wx" });
  return secret;
}

async function restoreFiles(
  directory: string,
  config: HubConfig,
  { files }: BackupDescription,
): Promise<void> {
  const store = await openFileStore(config);
  for (const sha256 of files) {
    const content = await readFile(path.join(directory, "files", sha256));
    if ((await store.put(content)) !== sha256) throw new Error(`File ${sha256} of the backup is damaged`);
  }
}

async function restoreRows(
  config: HubConfig,
  directory: string,
  description: BackupDescription,
): Promise<void> {
  const dialect = config.databaseUrl === undefined ? "sqlite" : "postgres";
  const { database } = connect(config, true, () => {});
  await requireNoHub(database, dialect).catch(async (error: unknown) => {
    await database.destroy();
    throw error;
  });
  try {
    await migrate(database, dialect, MIGRATIONS.slice(0, description.migrations.length));
    await database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("hub").execute(); // that of the new tables
      for (const table of BACKED_UP.filter((name) => name in description.tables)) {
        const rows = await restoreTable(transaction, directory, table);
        if (rows !== description.tables[table])
          throw new Error(
            `Table "${table}" of the backup has ${rows} rows, not ${description.tables[table]}`,
          );
        const numbered = NUMBERED[table];
        if (dialect === "postgres" && numbered !== undefined && rows > 0)
          await sql`select setval(pg_get_serial_sequence(${table}, ${numbered}),
            (select max(${sql.ref(numbered)}) from ${sql.table(table)}))`.execute(transaction);
      }
    });
  } catch (error) {
    for (const table of [...BACKED_UP, ...LEFT_OUT].reverse())
      await sql`drop table if exists ${sql.table(table)}`.execute(database);
    await sql`drop table if exists migrations`.execute(database);
    throw error;
  } finally {
    await database.destroy();
  }
}

/** Also for a database that another program uses for tables of these names. */
async function requireNoHub(database: Database, dialect: Dialect): Promise<void> {
  const { rows } =
    dialect === "sqlite"
      ? await sql<{ readonly name: string }>`select name from sqlite_master where type = 'table'`.execute(
          database,
        )
      : await sql<{ readonly name: string }>`
          select tablename as name from pg_tables where schemaname = current_schema()`.execute(database);
  const names = rows.map(({ name }) => name);
  if (names.includes("migrations") || names.includes("hub")) throw hasHub();
}

/** @returns the number of rows */
async function restoreTable(
  transaction: Transaction<Tables>,
  directory: string,
  table: keyof Tables,
): Promise<number> {
  const input = createReadStream(path.join(directory, "tables", `${table}.jsonl`));
  let waiting: Record<string, never>[] = [];
  let total = 0;
  const write = async () => {
    for (const piece of inPieces(waiting)) await transaction.insertInto(table).values(piece).execute();
    total += waiting.length;
    waiting = [];
  };
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line === "") continue;
    waiting.push(JSON.parse(line));
    if (waiting.length >= ROWS_AT_ONCE) await write();
  }
  await write();
  return total;
}

function hasHub(): ConfigError {
  return new ConfigError("Cannot restore here: there is a hub already in the database of this environment");
}
