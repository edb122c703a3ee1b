/**
 * Rights, withdrawal, token rotation, and one record per MAC (docs/spec/hub-api.md#publishers,
 * docs/spec/hub-api.md#one-record). `../schema.ts` explains the columns.
 *
 * A publisher of an older hub that has published firmware keeps the right to, for the architectures of that firmware.
 * Of several records with one MAC, one stays: preferably one that an account holds, then the one seen last.
 */
import { createPublicKey, verify } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

/** RFC 8410 §4: the DER prefix of an Ed25519 key's 32 bytes. */
const KEY_HEAD = Buffer.from("302a300506032b6570032100", "hex");

/** @param log receives messages for the operator */
export async function up(database: Untyped, _dialect: Dialect, log: (news: string) => void): Promise<void> {
  await addColumns(database);
  await keepRights(database, log);
  await findKeys(database);
  await keepOneRecord(database, log);
  await database.schema
    .createIndex("devices_by_mac")
    .unique()
    .on("devices")
    .column("mac")
    .where(sql<boolean>`retired_at is null`)
    .execute();
  await database.schema
    .createIndex("devices_by_next_token")
    .unique()
    .on("devices")
    .column("next_token_hash")
    .execute();
  await database.schema
    .createTable("revocations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("list", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

/** SQLite accepts one column per statement. */
async function addColumns(database: Untyped): Promise<void> {
  for (const [table, columns] of Object.entries({
    publishers: ["firmware_architectures text not null default ''"],
    publisher_keys: ["succession text"],
    app_versions: ["public_key text not null default ''", "withdrawn_at bigint"],
    firmware: ["public_key text not null default ''", "withdrawn_at bigint"],
    accounts: ["revoked_at bigint"],
    devices: [
      ...["next_token_hash text", "rotation_id text", "apps text", "apps_at bigint"],
      ...["revocations_id text", "retired_at bigint"],
    ],
    commands: ["allows_downgrade integer not null default 0"],
  }))
    for (const column of columns)
      await sql`alter table ${sql.table(table)} add column ${sql.raw(column)}`.execute(database);
}

async function keepRights(database: Untyped, log: (news: string) => void): Promise<void> {
  const { rows } = await sql<{ readonly id: string; readonly name: string; readonly arch: string }>`
    select distinct publishers.id, publishers.name, firmware.arch from publishers
    join firmware on firmware.publisher_id = publishers.id
    where publishers.revoked_at is null order by publishers.id, firmware.arch`.execute(database);
  const revoked = await sql<{ readonly name: string }>`
    select name from publishers where revoked_at is not null and (
      exists (select 1 from firmware where firmware.publisher_id = publishers.id) or exists (
        select 1 from apps where apps.publisher_id = publishers.id and apps.retracted_at is null))`.execute(
    database,
  );
  for (const { name } of revoked.rows)
    log(
      `publisher ${JSON.stringify(name)} was revoked, but the hub still offers what it published: ` +
        `run "svc hub publisher revoke" again to withdraw it`,
    );
  const rights = new Map<string, { readonly name: string; readonly architectures: string[] }>();
  for (const { id, name, arch } of rows) {
    const right = rights.get(id) ?? { name, architectures: [] };
    right.architectures.push(arch);
    rights.set(id, right);
  }
  for (const [id, { name, architectures }] of rights) {
    const list = architectures.join(",");
    await sql`update publishers set firmware_architectures = ${list} where id = ${id}`.execute(database);
    log(
      `publisher ${JSON.stringify(name)} has published firmware and keeps the right for ${list}; ` +
        `change it with "svc hub publisher firmware"`,
    );
  }
}

/** Finds the publisher's key that signed each version, which older hubs did not store. */
async function findKeys(database: Untyped): Promise<void> {
  const { rows } = await sql<Record<"app_id" | "version" | "sha256" | "signature" | "publisher_id", string>>`
    select app_versions.app_id, app_versions.version, app_versions.sha256, app_versions.signature,
      apps.publisher_id from app_versions join apps on apps.id = app_versions.app_id`.execute(database);
  const keys = await keysByPublisher(database);
  for (const { app_id, version, sha256, signature, publisher_id } of rows) {
    const signer = keys.get(publisher_id)?.find((key) => holds(key, sha256, signature));
    if (signer !== undefined)
      await sql`update app_versions set public_key = ${signer}
        where app_id = ${app_id} and version = ${version}`.execute(database);
  }
}

async function keysByPublisher(database: Untyped): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ readonly publisher_id: string; readonly public_key: string }>`
    select publisher_id, public_key from publisher_keys order by created_at`.execute(database);
  const keys = new Map<string, string[]>();
  for (const { publisher_id, public_key } of rows)
    if (!keys.get(publisher_id)?.push(public_key)) keys.set(publisher_id, [public_key]);
  return keys;
}

function holds(publicKey: string, sha256: string, signature: string): boolean {
  const der = Buffer.concat([KEY_HEAD, Buffer.from(publicKey, "hex")]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  return verify(null, Buffer.from(sha256, "hex"), key, Buffer.from(signature, "hex"));
}

/** Keeps one record per MAC, and retires the others, whose tokens become invalid. */
async function keepOneRecord(database: Untyped, log: (news: string) => void): Promise<void> {
  const { rows } = await sql<{ readonly id: string; readonly mac: string }>`
    select id, mac from devices where mac in (select mac from devices group by mac having count(*) > 1)
    order by mac, case when account_id is null then 1 else 0 end, last_seen_at desc, registered_at desc`.execute(
    database,
  );
  const kept = new Set<string>();
  for (const { id, mac } of rows) {
    if (!kept.has(mac)) kept.add(mac);
    else await retire(database, id);
  }
  if (kept.size > 0)
    log(
      `${rows.length - kept.size} records of consoles were ended, since another record had the same MAC: ` +
        `each MAC keeps one record, preferably one that an account holds (${[...kept].slice(0, 10).join(", ")})`,
    );
}

async function retire(database: Untyped, id: string): Promise<void> {
  const now = Date.now();
  await sql`update devices set token_hash = ${`retired ${id}`}, claim_code = null, account_id = null,
    process_id = null, connection = connection + 1, retired_at = ${now} where id = ${id}`.execute(database);
  await sql`update commands set state = 'cancelled', updated_at = ${now}
    where device_id = ${id} and state = 'pending'`.execute(database);
}
