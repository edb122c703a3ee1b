/**
 * Expiry of commands and rollouts, and the state of the clean-up. `../schema.ts` explains the columns. What is pending
 * expires as if it had been ordered now, so that an upgrade ends nothing. The columns may be null: processes of the
 * previous version, which may still run, leave them out.
 */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

const EXPIRES_AFTER_MS = 90 * 24 * 3_600_000;

export async function up(database: Untyped): Promise<void> {
  for (const [table, column] of [
    ["commands", "expires_at bigint"],
    ["rollouts", "expires_at bigint"],
    ["hub", "retention_at bigint"],
    ["hub", "retention_device text"],
  ] as const)
    await sql`alter table ${sql.table(table)} add column ${sql.raw(column)}`.execute(database);
  const expiresAt = Date.now() + EXPIRES_AFTER_MS;
  await sql`update commands set expires_at = ${expiresAt} where state = 'pending'`.execute(database);
  await sql`update rollouts set expires_at = ${expiresAt} where state in ('running', 'paused')`.execute(
    database,
  );
  await database.schema
    .createIndex("commands_expiring")
    .on("commands")
    .column("expires_at")
    .where(sql`state`, "=", sql.lit("pending"))
    .execute();
  await database.schema
    .createIndex("rollouts_ended")
    .on("rollouts")
    .column("updated_at")
    .where(sql<boolean>`state in ('stopped', 'cancelled', 'completed')`)
    .execute();
}
