/** Tokens of an account's members and programs. `../schema.ts` explains the columns. */
import type { Kysely } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped): Promise<void> {
  await database.schema
    .createTable("account_tokens")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text")
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .execute();
  await database.schema
    .createIndex("account_tokens_by_account")
    .on("account_tokens")
    .columns(["account_id", "kind", "id"])
    .execute();
}
