/** The audit log of accounts. `../schema.ts` explains the columns. */
import { type Kysely, sql } from "kysely";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("audit")
    .addColumn("position", dialect === "postgres" ? "bigserial" : "integer", (column) =>
      dialect === "postgres" ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("actor_id", "text")
    .addColumn("actor_name", "text")
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("names", "text", (column) => column.notNull())
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("status", "integer", (column) => column.notNull())
    .execute();
  await sql`create index audit_by_account on audit (account_id, position)`.execute(database);
  await sql`create index audit_by_time on audit (at)`.execute(database);
}
