/** Webhooks of accounts (docs/spec/hub-api.md#webhooks). `../schema.ts` explains the columns. */
import { type Kysely, sql } from "kysely";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("webhooks")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("events", "text", (column) => column.notNull())
    .addColumn("sealed_secret", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("failures", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("failing_since", "bigint")
    .addColumn("disabled_at", "bigint")
    .addColumn("dropped", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("due_at", "bigint")
    .addColumn("lease_id", "text")
    .addColumn("lease_until", "bigint")
    .execute();
  await sql`create index webhooks_by_account on webhooks (account_id)`.execute(database);
  await sql`create index webhooks_due on webhooks (due_at) where disabled_at is null`.execute(database);
  await database.schema
    .createTable("webhook_deliveries")
    .addColumn("position", dialect === "postgres" ? "bigserial" : "integer", (column) =>
      dialect === "postgres" ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("webhook_id", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("next_at", "bigint", (column) => column.notNull())
    .addColumn("status", "integer")
    .addColumn("error", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  for (const index of [
    sql`create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, position)`,
    sql`create index webhook_deliveries_by_time on webhook_deliveries (created_at)`,
    sql`create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where state = 'pending'`,
    sql`create index webhook_deliveries_queued on webhook_deliveries (account_id) where state = 'pending'`,
    sql`create index webhook_deliveries_ended on webhook_deliveries (webhook_id, position)
      where state <> 'pending'`,
  ])
    await index.execute(database);
}
