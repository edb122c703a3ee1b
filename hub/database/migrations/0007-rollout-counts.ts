/**
 * The counts of a rollout's devices, in its row. `../schema.ts` explains the columns. They may be null or outdated:
 * processes of the previous version, which may still run, do not write them.
 */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  for (const column of ["counts text", "counts_revision integer"])
    await sql`alter table rollouts add column ${sql.raw(column)}`.execute(database);
}
