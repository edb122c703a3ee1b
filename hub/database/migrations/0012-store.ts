/**
 * What a store shows of apps, review of versions, and the words by which apps are searched. `../schema.ts` explains the
 * columns. They may be null: processes of the previous version, which may still run, add apps without them. All versions
 * that there are stay listed.
 */
import { type Kysely, sql } from "kysely";
import { wordRows } from "../../catalog/search-words.js";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

/** Apps to read at once. */
const APPS_AT_ONCE = 500;
/** Rows of a statement: below the databases' limits of parameters. */
const ROWS_AT_ONCE = 256;

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  await addColumns(database);
  await addTables(database, dialect);
  await addIndexes(database, dialect);
  await indexWords(database);
}

/** SQLite accepts one column per statement. */
async function addColumns(database: Untyped): Promise<void> {
  for (const [table, columns] of Object.entries({
    apps: [
      ...["about text", "category text", "homepage_url text", "source_url text"],
      "is_unlisted integer not null default 0",
    ],
    app_versions: ["changelog text", "review text", "review_reason text"],
  }))
    for (const column of columns)
      await sql`alter table ${sql.table(table)} add column ${sql.raw(column)}`.execute(database);
}

async function addTables(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("app_screenshots")
    .addColumn("app_id", "text", (column) => column.notNull().references("apps.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("size_bytes", "integer", (column) => column.notNull())
    .addColumn("width", "integer", (column) => column.notNull())
    .addColumn("height", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("app_screenshots_key", ["app_id", "position"])
    .execute();
  const word = sql.raw(dialect === "postgres" ? 'text collate "C"' : "text");
  await sql`create table app_words (place integer not null, word ${word} not null,
    app_id text not null references apps (id), primary key (place, word, app_id))`.execute(database);
}

async function addIndexes(database: Untyped, dialect: Dialect): Promise<void> {
  const bytewise = sql.raw(dialect === "postgres" ? 'collate "C"' : "collate binary");
  await sql`create index app_words_by_app on app_words (app_id, place, word)`.execute(database);
  await sql`create index app_screenshots_by_file on app_screenshots (sha256)`.execute(database);
  await sql`create index apps_by_publisher on apps (publisher_id, id ${bytewise})`.execute(database);
  // Word for word the expressions of list-order.ts: the databases use an index for no others.
  await sql`create index apps_by_category on apps (category, (coalesce(name_order, lower(id)) ${bytewise}),
    id ${bytewise}) where retracted_at is null`.execute(database);
  await sql`create index apps_by_downloads on apps (downloads, id ${bytewise})
    where retracted_at is null`.execute(database);
  await sql`create index app_versions_waiting on app_versions (published_at)
    where review = 'waiting'`.execute(database);
  await sql`create index app_versions_listed on app_versions (published_at)
    where review is null and withdrawn_at is null`.execute(database);
  await sql`create index app_versions_in_order on app_versions (app_id, version_order)`.execute(database);
}

async function indexWords(database: Untyped): Promise<void> {
  for (let after = ""; ; ) {
    const { rows } = await sql<Parameters<typeof wordRows>[0]>`
      select id, display_name, description, author, about from apps where id > ${after}
      and retracted_at is null order by id limit ${APPS_AT_ONCE}`.execute(database);
    const words = rows.flatMap(wordRows);
    for (let at = 0; at < words.length; at += ROWS_AT_ONCE)
      await database
        .insertInto("app_words")
        .values(words.slice(at, at + ROWS_AT_ONCE) as Record<string, unknown>[])
        .execute();
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
