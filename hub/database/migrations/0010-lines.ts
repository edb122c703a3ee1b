/**
 * Lines of the sources of apps (docs/spec/hub-api.md#app-lines). `../schema.ts` explains the column. It may be null:
 * processes of the previous version, which may still run, add versions without it.
 */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  await sql`alter table app_versions add column lines_sha256 text`.execute(database);
}
