/**
 * Migrates the tables when a process starts, in one transaction: any number of processes may start at once, and the
 * first one migrates while the others wait. It is tried again when it collides with what processes of the version before do
 * meanwhile. Where nothing is to be migrated, none takes a lock. Kysely's own migrator creates its two tables outside of
 * that transaction, and takes no lock on SQLite.
 */
import { randomUUID } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { ConfigError } from "../config/variables.js";
import * as tables from "./migrations/0001-tables.js";
import type { Database, Dialect, Tables } from "./schema.js";
import { retriedTransaction } from "./transactions.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

interface Migration {
  readonly name: string;
  readonly up: (database: Untyped, dialect: Dialect) => Promise<void>;
}

/** In order. A released migration never changes; a further change is a new migration. */
export const MIGRATIONS: readonly Migration[] = Object.freeze([{ name: "0001-tables", up: tables.up }]);

/**
 * A table that is there from before a restore (backup/restore.ts) writes anything until the moment in which the hub is there
 * as a whole: no process makes an empty hub in its place.
 */
export const RESTORING = "restoring";

/** Key of the PostgreSQL lock that the hub's processes share: "svc-hub" on a telephone keypad. */
const LOCK = 782_482;

/**
 * @param createsHub whether to create the tables of a new hub
 * @returns the hub's id, created with the tables
 * @throws {ConfigError} where a restore has not ended
 * @throws {Error} for the database of a newer hub
 */
export async function migrate(
  database: Database,
  dialect: Dialect,
  migrations = MIGRATIONS,
  createsHub = true,
): Promise<string> {
  const present = await upToDateHub(database, dialect, migrations);
  if (present !== undefined) return present;
  return await retriedTransaction(database, async (transaction) => {
    await lockTables(transaction, dialect);
    if ((await tablesIn(transaction, dialect)).has(RESTORING))
      throw new ConfigError(
        "There is no hub in this database yet: a restore is under way, or was interrupted. Run `svc hub restore` again",
      );
    const done = await doneMigrations(transaction as unknown as Untyped);
    requireKnown(done, migrations);
    if (done.size === 0 && !createsHub) throw new ConfigError("There is no hub in this database yet");
    await applyMissing(transaction, dialect, migrations, done);
    return hubId(transaction);
  });
}

/** Processes that migrate or restore wait for each other. SQLite has one transaction that writes at a time. */
export async function lockTables(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  if (dialect === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
}

/** Makes the tables of a new hub, without its id, in a transaction with its rows. */
export async function createTables(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<void> {
  const done = await doneMigrations(transaction as unknown as Untyped);
  await applyMissing(transaction, dialect, migrations, done);
}

/** The names of the tables, of which some may be another program's. */
export async function tablesIn(database: Database, dialect: Dialect): Promise<ReadonlySet<string>> {
  const query =
    dialect === "sqlite"
      ? sql<{ readonly name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ readonly name: string }>`
          select tablename as name from pg_tables where schemaname = current_schema()`;
  return new Set((await query.execute(database)).rows.map(({ name }) => name));
}

/**
 * Looks without a lock, which every command of the operator would otherwise take from the hub.
 * @returns the hub's id; `undefined` if there is anything to migrate
 */
async function upToDateHub(
  database: Database,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  if (!(await tablesIn(database, dialect)).has("migrations")) return undefined;
  const done = await namesOf(database as unknown as Untyped);
  requireKnown(done, migrations);
  if (migrations.some(({ name }) => !done.has(name))) return undefined;
  return (await database.selectFrom("hub").select("id").executeTakeFirst())?.id;
}

async function doneMigrations(database: Untyped): Promise<ReadonlySet<string>> {
  await database.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("migrated_at", "bigint", (column) => column.notNull())
    .execute();
  return namesOf(database);
}

async function namesOf(database: Untyped): Promise<ReadonlySet<string>> {
  const rows = await database.selectFrom("migrations").select("name").execute();
  return new Set(rows.map(({ name }) => String(name)));
}

function requireKnown(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  for (const name of done)
    if (!known.has(name)) throw new Error(`Cannot use the database of a newer hub, which has "${name}"`);
}

async function applyMissing(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  migrations: readonly Migration[],
  done: ReadonlySet<string>,
): Promise<void> {
  const untyped = transaction as unknown as Untyped;
  for (const { name, up } of migrations) {
    if (done.has(name)) continue;
    await up(untyped, dialect);
    await untyped.insertInto("migrations").values({ name, migrated_at: Date.now() }).execute();
  }
}

async function hubId(transaction: Transaction<Tables>): Promise<string> {
  const row = await transaction.selectFrom("hub").select("id").executeTakeFirst();
  if (row) return row.id;
  const id = randomUUID();
  await transaction.insertInto("hub").values({ id, created_at: Date.now(), secret_check: null }).execute();
  return id;
}
