/**
 * Tags, groups and history of consoles, and the indexes of the table of an account's consoles. `../schema.ts` explains
 * the columns. The apps that consoles report get rows of their own, which a trigger writes: processes of the previous
 * version, which may still run, and restored backups write the list as JSON alone.
 */
import { type Kysely, sql } from "kysely";
import { firmwareOrder, nameOrder, seenOrder } from "../device-order.js";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  await tags(database);
  await installedApps(database, dialect);
  await history(database, dialect);
  for (const [name, columns] of [
    ["devices_by_name", sql`${nameOrder(dialect)}, id, mac`],
    ["devices_by_seen", sql`${seenOrder()}, id`],
    ["devices_by_firmware", sql`${firmwareOrder(dialect)}, id`],
    ["devices_by_arch", sql`arch, id`],
    ["devices_by_holder", sql`process_id, id`],
  ] as const)
    await sql`create index ${sql.ref(name)} on devices (account_id, ${columns})`.execute(database);
  await sql`create index rollouts_stopped on rollouts (account_id, updated_at) where state = 'stopped'`.execute(
    database,
  );
}

async function tags(database: Untyped): Promise<void> {
  await database.schema
    .createTable("device_tags")
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("tag", "text", (column) => column.notNull())
    .addColumn("device_id", "text", (column) => column.notNull().references("devices.id"))
    .addPrimaryKeyConstraint("device_tags_key", ["account_id", "tag", "device_id"])
    .execute();
  await sql`create index device_tags_by_device on device_tags (device_id)`.execute(database);
  await database.schema
    .createTable("device_groups")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("filter", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await sql`create index device_groups_by_account on device_groups (account_id, id)`.execute(database);
}

async function installedApps(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("installed_apps")
    .addColumn("device_id", "text", (column) => column.notNull().references("devices.id"))
    .addColumn("app_id", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("installed_apps_key", ["device_id", "app_id"])
    .execute();
  await sql`create index installed_apps_by_app on installed_apps (account_id, app_id, version, device_id)`.execute(
    database,
  );
  await sql.raw(reportedOf(dialect, "devices", "from devices,")).execute(database);
  for (const statement of dialect === "sqlite" ? SQLITE_TRIGGERS : POSTGRES_TRIGGERS)
    await sql.raw(statement).execute(database);
}

/** Inserts the apps of one row of `devices`, or of all of them. */
function reportedOf(dialect: Dialect, row: string, from: string): string {
  const list =
    dialect === "sqlite"
      ? `json_each(${row}.apps) as app`
      : `jsonb_array_elements(cast(${row}.apps as jsonb)) as app (value)`;
  return `insert into installed_apps (device_id, app_id, account_id, version)
    select ${row}.id, app.value ->> 'name', ${row}.account_id, app.value ->> 'version' ${from} ${list}
    where ${row}.account_id is not null and ${row}.apps is not null on conflict do nothing;`;
}

const DELETE_FORMER = "delete from installed_apps where device_id = new.id;";

const SQLITE_TRIGGERS = Object.freeze([
  `create trigger devices_report after update of apps, account_id on devices
    when old.apps is not new.apps or old.account_id is not new.account_id
    begin ${DELETE_FORMER} ${reportedOf("sqlite", "new", "from")} end`,
  `create trigger devices_restored after insert on devices when new.apps is not null
    begin ${reportedOf("sqlite", "new", "from")} end`,
]);

const POSTGRES_TRIGGERS = Object.freeze([
  `create or replace function store_installed_apps() returns trigger language plpgsql as $$
    begin ${DELETE_FORMER} ${reportedOf("postgres", "new", "from")} return null; end $$`,
  `create trigger devices_report after update of apps, account_id on devices for each row
    when (old.apps is distinct from new.apps or old.account_id is distinct from new.account_id)
    execute function store_installed_apps()`,
  `create trigger devices_restored after insert on devices for each row
    when (new.apps is not null) execute function store_installed_apps()`,
]);

async function history(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("device_events")
    .addColumn("position", dialect === "postgres" ? "bigserial" : "integer", (column) =>
      dialect === "postgres" ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn("device_id", "text", (column) => column.notNull().references("devices.id"))
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("connection", "integer", (column) => column.notNull())
    .addColumn("command_id", "text")
    .addColumn("details", "text")
    .execute();
  for (const index of [
    "device_events_by_device on device_events (device_id, position)",
    "device_events_failed on device_events (account_id, at, device_id) where kind = 'failed'",
  ])
    await sql`create index ${sql.raw(index)}`.execute(database);
}
