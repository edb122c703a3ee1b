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
import * as rights from "./migrations/0002-rights.js";
import * as formerTokens from "./migrations/0003-former-tokens.js";
import * as appNames from "./migrations/0004-app-names.js";
import * as expiry from "./migrations/0005-expiry.js";
import * as indexes from "./migrations/0006-indexes.js";
import * as rolloutCounts from "./migrations/0007-rollout-counts.js";
import * as teams from "./migrations/0008-teams.js";
import * as audit from "./migrations/0009-audit.js";
import * as lines from "./migrations/0010-lines.js";
import * as webhooks from "./migrations/0011-webhooks.js";
import * as store from "./migrations/0012-store.js";
import * as fleet from "./migrations/0013-fleet.js";
import * as catalogRevision from "./migrations/0014-catalog-revision.js";
import * as crashes from "./migrations/0015-crashes.js";
import * as signIn from "./migrations/0016-sign-in.js";
import * as webhookSecrets from "./migrations/0017-webhook-secrets.js";
import type { Database, Dialect, Tables } from "./schema.js";
import { retriedTransaction } from "./transactions.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

interface Migration {
  readonly name: string;
  /** @param log receives messages for the operator about decisions that the migration made */
  readonly up: (database: Untyped, dialect: Dialect, log: (notices: string) => void) => Promise<void>;
}

/** In order. A released migration never changes; a further change is a new migration. */
export const MIGRATIONS: readonly Migration[] = Object.freeze([
  { name: "0001-tables", up: tables.up },
  { name: "0002-rights", up: rights.up },
  { name: "0003-former-tokens", up: formerTokens.up },
  { name: "0004-app-names", up: appNames.up },
  { name: "0005-expiry", up: expiry.up },
  { name: "0006-indexes", up: indexes.up },
  { name: "0007-rollout-counts", up: rolloutCounts.up },
  { name: "0008-teams", up: teams.up },
  { name: "0009-audit", up: audit.up },
  { name: "0010-lines", up: lines.up },
  { name: "0011-webhooks", up: webhooks.up },
  { name: "0012-store", up: store.up },
  { name: "0013-fleet", up: fleet.up },
  { name: "0014-catalog-revision", up: catalogRevision.up },
  { name: "0015-crashes", up: crashes.up },
  { name: "0016-sign-in", up: signIn.up },
  { name: "0017-webhook-secrets", up: webhookSecrets.up },
]);

/** Key of the PostgreSQL lock that the hub's processes share: "svc-hub" on a telephone keypad. */
const LOCK = 782_482;

/**
 * @param createsHub whether to create the tables of a new hub
 * @param log receives messages about an upgrade, for the operator, after the commit
 * @returns the hub's id, created with the tables
 * @throws {Error} for the database of a newer hub
 */
export async function migrate(
  database: Database,
  dialect: Dialect,
  migrations = MIGRATIONS,
  createsHub = true,
  log: (notices: string) => void = () => {},
): Promise<string> {
  const present = await upToDateHub(database, dialect, migrations);
  if (present !== undefined) return present;
  const notices: string[] = [];
  const id = await retriedTransaction(database, async (transaction) => {
    notices.length = 0;
    if (dialect === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
    const untyped = transaction as unknown as Untyped;
    const done = await doneMigrations(untyped);
    requireKnown(done, migrations);
    if (done.size === 0 && !createsHub) throw new ConfigError("There is no hub in this database yet");
    for (const migration of migrations)
      if (!done.has(migration.name)) await apply(untyped, dialect, migration, (text) => notices.push(text));
    return hubId(transaction);
  });
  notices.forEach(log);
  return id;
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
  const tables =
    dialect === "sqlite"
      ? sql`select 1 from sqlite_master where type = 'table' and name = 'migrations'`
      : sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'migrations'`;
  if ((await tables.execute(database)).rows.length === 0) return undefined;
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

async function apply(
  database: Untyped,
  dialect: Dialect,
  { name, up }: Migration,
  log: (notices: string) => void,
): Promise<void> {
  await up(database, dialect, log);
  await database.insertInto("migrations").values({ name, migrated_at: Date.now() }).execute();
}

async function hubId(transaction: Transaction<Tables>): Promise<string> {
  const row = await transaction.selectFrom("hub").select("id").executeTakeFirst();
  if (row) return row.id;
  const id = randomUUID();
  await transaction.insertInto("hub").values({ id, created_at: Date.now(), secret_check: null }).execute();
  return id;
}
