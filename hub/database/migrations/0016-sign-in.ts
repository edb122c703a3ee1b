/** Members who sign in by OpenID Connect, and their sessions. `../schema.ts` explains the columns. */
import { type Kysely, sql } from "kysely";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

const STATEMENTS = [
  "alter table account_tokens add column email text",
  "alter table account_tokens add column issuer text",
  "alter table account_tokens add column subject text",
  "create unique index account_tokens_by_email on account_tokens (email, account_id)",
  "create unique index account_tokens_by_identity on account_tokens (subject, issuer, account_id)",
  "alter table audit add column via text",
];

export async function up(database: Untyped): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  await database.schema
    .createTable("member_sessions")
    .addColumn("id", "text", (column) => column.primaryKey())
    // Processes of the previous version, which know no sessions, remove members too.
    .addColumn("member_id", "text", (column) =>
      column.notNull().references("account_tokens.id").onDelete("cascade"),
    )
    .addColumn("token_hash", "text", (column) => column.unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await sql`create index member_sessions_by_member on member_sessions (member_id, created_at)`.execute(
    database,
  );
  await sql`create index member_sessions_by_end on member_sessions (expires_at)`.execute(database);
}
