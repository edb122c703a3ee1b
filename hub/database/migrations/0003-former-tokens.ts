/**
 * Tokens of consoles that an account has held, which no longer get a claim code. `../schema.ts` explains the columns. A
 * console that was released and has not replaced its token yet is added at once.
 */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  await database.schema
    .createTable("former_tokens")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("mac", "text", (column) => column.notNull())
    .execute();
  await database.schema.createIndex("former_tokens_by_mac").on("former_tokens").column("mac").execute();
  await sql`insert into former_tokens (token_hash, mac) select token_hash, mac from devices
    where account_id is null and claim_code is null and retired_at is null`.execute(database);
}
