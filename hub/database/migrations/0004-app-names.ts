/**
 * Display names of apps. `../schema.ts` explains the columns. They may be null: processes of the previous version, which
 * may still run, add apps without them.
 */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  for (const column of ["display_name", "name_order"])
    await sql`alter table apps add column ${sql.ref(column)} text`.execute(database);
}
