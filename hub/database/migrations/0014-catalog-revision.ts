/**
 * Counts the changes of the catalogue, so that processes on PostgreSQL know whether the lists that they have made still hold
 * (`../../catalog/catalog-list.ts`). A trigger counts, in the transaction of the change: processes of the previous version,
 * which may still run, change the catalogue too. SQLite tells of writers itself (`../other-writers.ts`).
 */
import { type Kysely, sql } from "kysely";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

/** Downloads are counted all the time, and no list that is kept is sorted by them. */
const TRIGGERS = [
  `create or replace function count_catalog_change() returns trigger language plpgsql as $$
    begin update hub set catalog_revision = catalog_revision + 1; return null; end $$`,
  `create trigger apps_listed after insert or delete on apps for each row execute function count_catalog_change()`,
  `create trigger apps_changed after update on apps for each row
    when ((to_jsonb(old) - 'downloads') is distinct from (to_jsonb(new) - 'downloads'))
    execute function count_catalog_change()`,
];

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  await sql`alter table hub add column catalog_revision bigint not null default 0`.execute(database);
  if (dialect === "postgres") for (const statement of TRIGGERS) await sql.raw(statement).execute(database);
}
