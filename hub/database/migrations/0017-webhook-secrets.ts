/** Secrets of webhooks that were replaced, which sign for a while beside the new ones. `../schema.ts` explains the columns. */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  await sql`alter table webhooks add column former_secret text`.execute(database);
  await sql`alter table webhooks add column former_until bigint`.execute(database);
}
