/** The first tables. `../schema.ts` explains the columns. */
import { type Kysely, sql } from "kysely";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("hub")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("secret_check", "text")
    .execute();
  await database.schema
    .createTable("processes")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("heartbeat_at", "bigint", (column) => column.notNull())
    .execute();
  await publishers(database);
  await devices(database);
  await catalogue(database);
  await commands(database, dialect);
  await rollouts(database);
  await database.schema
    .createTable("rate_limits")
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("window_at", "bigint", (column) => column.notNull())
    .addColumn("count", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("rate_limits_key", ["key", "window_at"])
    .execute();
}

async function publishers(database: Untyped): Promise<void> {
  await database.schema
    .createTable("publishers")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("revoked_at", "bigint")
    .execute();
  await database.schema
    .createTable("publisher_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("publisher_id", "text", (column) => column.notNull().references("publishers.id"))
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("revoked_at", "bigint")
    .addUniqueConstraint("publisher_keys_once", ["publisher_id", "public_key"])
    .execute();
}

async function devices(database: Untyped): Promise<void> {
  await database.schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema
    .createTable("devices")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("mac", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("arch", "text", (column) => column.notNull())
    .addColumn("firmware_version", "text", (column) => column.notNull())
    .addColumn("claim_code", "text", (column) => column.unique())
    .addColumn("account_id", "text", (column) => column.references("accounts.id"))
    .addColumn("registered_at", "bigint", (column) => column.notNull())
    .addColumn("last_seen_at", "bigint")
    .addColumn("status", "text")
    .addColumn("connection", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("process_id", "text")
    .execute();
  await database.schema
    .createIndex("devices_by_account")
    .on("devices")
    .columns(["account_id", "id"])
    .execute();
  await database.schema.createIndex("devices_by_process").on("devices").column("process_id").execute();
}

async function catalogue(database: Untyped): Promise<void> {
  await database.schema
    .createTable("apps")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("publisher_id", "text", (column) => column.notNull().references("publishers.id"))
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("author", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("size_bytes", "integer", (column) => column.notNull())
    .addColumn("icon_sha256", "text")
    .addColumn("search_text", "text", (column) => column.notNull())
    .addColumn("downloads", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("published_at", "bigint", (column) => column.notNull())
    .addColumn("retracted_at", "bigint")
    .execute();
  await database.schema.createIndex("apps_by_time").on("apps").columns(["published_at", "id"]).execute();
  await database.schema
    .createTable("app_versions")
    .addColumn("app_id", "text", (column) => column.notNull().references("apps.id"))
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("version_order", "text", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("size_bytes", "integer", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("manifest", "text", (column) => column.notNull())
    .addColumn("icon_sha256", "text")
    .addColumn("published_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("app_versions_key", ["app_id", "version"])
    .execute();
  await database.schema
    .createTable("device_apps")
    .addColumn("device_id", "text", (column) => column.notNull().references("devices.id"))
    .addColumn("app_id", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("error", "text")
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("device_apps_key", ["device_id", "app_id"])
    .execute();
  await database.schema
    .createTable("firmware")
    .addColumn("arch", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("version_order", "text", (column) => column.notNull())
    .addColumn("publisher_id", "text", (column) => column.notNull().references("publishers.id"))
    .addColumn("board", "text", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("size_bytes", "integer", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("notes", "text", (column) => column.notNull())
    .addColumn("published_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("firmware_key", ["arch", "version"])
    .execute();
}

async function commands(database: Untyped, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable("commands")
    .addColumn("position", dialect === "postgres" ? "bigserial" : "integer", (column) =>
      dialect === "postgres" ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("device_id", "text", (column) => column.notNull().references("devices.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("progress", "text")
    .addColumn("error", "text")
    .addColumn("sent_connection", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("rollout_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex("commands_pending")
    .unique()
    .on("commands")
    .columns(["device_id", "subject"])
    .where(sql`state`, "=", sql.lit("pending"))
    .execute();
  await database.schema
    .createIndex("commands_by_device")
    .on("commands")
    .columns(["device_id", "position"])
    .execute();
  await database.schema
    .createIndex("commands_by_rollout")
    .on("commands")
    .columns(["rollout_id", "device_id", "state"])
    .execute();
}

async function rollouts(database: Untyped): Promise<void> {
  await database.schema
    .createTable("rollouts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("steps", "text", (column) => column.notNull())
    .addColumn("step", "integer", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex("rollouts_by_account")
    .on("rollouts")
    .columns(["account_id", "created_at"])
    .execute();
  await database.schema
    .createIndex("rollouts_under_way")
    .on("rollouts")
    .column("account_id")
    .where(sql<boolean>`state in ('running', 'paused')`)
    .execute();
  await database.schema
    .createTable("rollout_devices")
    .addColumn("rollout_id", "text", (column) => column.notNull().references("rollouts.id"))
    .addColumn("device_id", "text", (column) => column.notNull().references("devices.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("error", "text")
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("rollout_devices_key", ["rollout_id", "device_id"])
    .execute();
  await database.schema
    .createIndex("rollout_devices_in_turn")
    .on("rollout_devices")
    .columns(["rollout_id", "state", "position"])
    .execute();
}
