/**
 * Restores a hub from a backup, where there is no hub yet. The tables of the backup's own version and all rows are written in
 * one transaction, then migrate as at any upgrade. A table that marks the restore is there before, so that no hub is made in
 * its place while it is under way, or after it was interrupted: it can be run again.
 */
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { sql, type Transaction } from "kysely";
import { Compile } from "typebox/compile";
import { storedSecret, storeSecret } from "../config/provide-secret.js";
import { type HubConfig, readConfig } from "../config/read-config.js";
import { ConfigError, type Environment, text } from "../config/variables.js";
import { DatabaseUnavailable } from "../database/database-unavailable.js";
import { createTables, lockTables, MIGRATIONS, RESTORING, tablesIn } from "../database/migrate.js";
import { connect, openDatabase, requireSecret } from "../database/open-database.js";
import type { Database, Dialect, Tables } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";
import { makeDirectory } from "../files/content-store.js";
import { openFileStore } from "../files/file-store.js";
import { BACKED_UP, BACKUP, BACKUP_FILE, BACKUP_FORMAT, type BackupDescription } from "./backup-format.js";

const ROWS_AT_ONCE = 1000;

/** Columns that PostgreSQL numbers itself, from the highest number on. */
const NUMBERED: Readonly<Record<string, string>> = Object.freeze({
  commands: "position",
  audit: "position",
  webhook_deliveries: "position",
  device_events: "position",
});

/**
 * @param environment of the new hub
 * @throws {ConfigError} if the directory is not a whole backup that this version can read, for unusable settings, for a secret
 *   that is not the hub's, and if there is a hub already; then nothing is restored but files
 * @throws {Error} if the database or the storage cannot be used
 */
export async function restoreHub(environment: Environment, directory: string): Promise<BackupDescription> {
  const backup = new Backup(directory);
  const description = await backup.describe();
  const { storagePath } = await readConfig(environment, undefined, async () => "");
  await makeDirectory(storagePath);
  const config = await readConfig(environment, undefined, () => secretFor(directory, storagePath));
  const { database } = connect(config, true, () => {});
  const storesSecret = text(environment, "SVC_HUB_SECRET") === undefined;
  try {
    await restore(database, config, backup, description, storesSecret);
  } finally {
    await database.destroy();
  }
  await (await openDatabase(config, undefined, false)).database.destroy(); // migrates further
  return description;
}

async function restore(
  database: Database,
  config: HubConfig,
  backup: Backup,
  description: BackupDescription,
  storesSecret: boolean,
): Promise<void> {
  const dialect = config.databaseUrl === undefined ? "sqlite" : "postgres";
  await mark(database, dialect);
  try {
    await restoreFiles(config, backup, description);
    await database.transaction().execute(async (transaction) => {
      await lockTables(transaction, dialect);
      await requireNoHub(transaction, dialect); // another restore may have ended meanwhile
      await createTables(transaction, dialect, MIGRATIONS.slice(0, description.migrations.length));
      await restoreRows(transaction, dialect, backup, description);
      await requireSecret(transaction, config.secret);
      if (storesSecret) await storeSecret(config.storagePath, config.secret);
      await unmark(transaction);
    });
  } catch (error) {
    await unmark(database).catch(() => {
      // The database that is away now keeps the mark, and the restore can be run again.
    });
    throw error;
  }
}

async function mark(database: Database, dialect: Dialect): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lockTables(transaction, dialect);
    await requireNoHub(transaction, dialect);
    await sql`create table if not exists ${sql.table(RESTORING)} (since text)`.execute(transaction);
  });
}

async function unmark(database: Database): Promise<void> {
  await sql`drop table if exists ${sql.table(RESTORING)}`.execute(database);
}

/** Also for a database that another program uses for tables of these names. */
async function requireNoHub(database: Database, dialect: Dialect): Promise<void> {
  const tables = await tablesIn(database, dialect);
  if (tables.has("migrations") || tables.has("hub"))
    throw new ConfigError("Cannot restore here: there is a hub already in the database of this environment");
}

/** The one in the storage, which an interrupted restore may have stored, else that of the backup. */
async function secretFor(directory: string, storagePath: string): Promise<string> {
  const secret = (await storedSecret(storagePath)) ?? (await storedSecret(directory));
  if (secret !== undefined) return secret;
  throw new ConfigError("Set SVC_HUB_SECRET to that of the hub: the backup does not contain it");
}

async function restoreFiles(config: HubConfig, backup: Backup, { files }: BackupDescription): Promise<void> {
  const store = await openFileStore(config);
  for (const sha256 of files)
    if ((await store.put(await backup.file(sha256))) !== sha256)
      throw backup.refusal(`file ${sha256} is damaged`);
}

async function restoreRows(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  backup: Backup,
  { hub_id, tables }: BackupDescription,
): Promise<void> {
  for (const table of BACKED_UP.filter((name) => name in tables)) {
    const rows = await restoreTable(transaction, backup, table);
    if (rows !== tables[table])
      throw backup.refusal(
        `table "${table}" is cut off or damaged: it has ${rows} rows, not ${tables[table]}`,
      );
    const numbered = NUMBERED[table];
    if (dialect === "postgres" && numbered !== undefined && rows > 0)
      await sql`select setval(pg_get_serial_sequence(${table}, ${numbered}),
        (select max(${sql.ref(numbered)}) from ${sql.table(table)}))`.execute(transaction);
  }
  const hubs = await transaction.selectFrom("hub").select("id").execute();
  if (hubs.length !== 1 || hubs[0]?.id !== hub_id)
    throw backup.refusal(`its rows are not those of hub ${hub_id}`);
}

/** @returns the number of rows */
async function restoreTable(
  transaction: Transaction<Tables>,
  backup: Backup,
  table: keyof Tables,
): Promise<number> {
  let total = 0;
  for await (const rows of backup.rows(table)) {
    total += rows.length;
    for (const piece of inPieces(rows))
      await transaction
        .insertInto(table)
        .values(piece)
        .execute()
        .catch((error: unknown) => {
          if (error instanceof DatabaseUnavailable) throw error;
          throw backup.refusal(`table "${table}" is damaged: ${(error as Error).message}`, error);
        });
  }
  return total;
}

/** The directory of a backup. What is missing or damaged in it is a `ConfigError` that says which. */
class Backup {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  refusal(reason: string, cause?: unknown): ConfigError {
    return new ConfigError(`Cannot restore from "${this.directory}": ${reason}`, { cause });
  }

  async describe(): Promise<BackupDescription> {
    const names = await readdir(this.directory).catch((error: Error) => {
      throw this.refusal(`it is not a directory that can be read (${error.message})`, error);
    });
    if (names.length === 0) throw this.refusal("it is empty");
    if (!names.includes(BACKUP_FILE))
      throw names.includes("tables")
        ? this.refusal(`it is not a complete backup: it has no "${BACKUP_FILE}", which is written last`)
        : this.refusal("it is not a backup of a hub");
    const description = await this.#description();
    if (isOfNewerHub(description)) throw this.refusal("it is a backup of a newer hub");
    if (!DESCRIPTION.Check(description)) throw this.refusal("it is not a backup of a hub");
    const known = MIGRATIONS.slice(0, description.migrations.length).map(({ name }) => name);
    if (known.join() === description.migrations.join()) return description;
    throw this.refusal("it is a backup of a newer hub");
  }

  async #description(): Promise<unknown> {
    const bytes = await this.#read(BACKUP_FILE, `"${BACKUP_FILE}"`);
    try {
      return JSON.parse(bytes.toString());
    } catch (cause) {
      throw this.refusal(`"${BACKUP_FILE}" is cut off or damaged`, cause);
    }
  }

  file(sha256: string): Promise<Buffer> {
    return this.#read(path.join("files", sha256), `file ${sha256}`);
  }

  /** The rows of a table, some at a time. */
  async *rows(table: string): AsyncGenerator<readonly Record<string, never>[]> {
    const input = createReadStream(path.join(this.directory, "tables", `${table}.jsonl`));
    let rows: Record<string, never>[] = [];
    try {
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        if (line === "") continue;
        rows.push(JSON.parse(line));
        if (rows.length < ROWS_AT_ONCE) continue;
        yield rows;
        rows = [];
      }
    } catch (cause) {
      if (cause instanceof SyntaxError) throw this.refusal(`table "${table}" is cut off or damaged`, cause);
      throw this.#unreadable(`table "${table}"`, cause as NodeJS.ErrnoException);
    }
    yield rows;
  }

  async #read(name: string, what: string): Promise<Buffer> {
    return readFile(path.join(this.directory, name)).catch((error) => {
      throw this.#unreadable(what, error);
    });
  }

  #unreadable(what: string, error: NodeJS.ErrnoException): ConfigError {
    const reason = error.code === "ENOENT" ? "is missing" : `cannot be read (${error.message})`;
    return this.refusal(`${what} ${reason}`, error);
  }
}

const DESCRIPTION = Compile(BACKUP);

function isOfNewerHub(description: unknown): boolean {
  const { format, hub_id } = (description ?? {}) as Partial<Record<keyof BackupDescription, unknown>>;
  return typeof hub_id === "string" && Number.isInteger(format) && Number(format) > BACKUP_FORMAT;
}
