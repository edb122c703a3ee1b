/** The last start that each console has told of, and an index of the crashes in the history of consoles. */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  await sql`alter table devices add column boot bigint`.execute(database);
  await sql`create index device_events_crashed on device_events (account_id, at, device_id) where kind = 'crashed'`.execute(
    database,
  );
}
