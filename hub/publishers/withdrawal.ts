/**
 * Withdraws apps and firmware: requests for them get 410, their pending commands are cancelled, and their rollouts
 * stop. Each function works only inside a transaction, since the operator withdraws outside of the hub's processes.
 */
import { sql, type Transaction } from "kysely";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { searchText } from "../catalog/app-record.js";
import { COMMAND_COLUMNS, PENDING } from "../commands/command-rows.js";
import { forgetWishes } from "../commands/device-apps.js";
import { IS_UNDER_WAY, type Row, type Tables } from "../database/schema.js";

export type FirmwareName = Pick<Row<"firmware">, "arch" | "version">;

/** Withdrawing it again changes nothing. */
export async function withdrawFirmware(
  transaction: Transaction<Tables>,
  { arch, version }: FirmwareName,
  now: number,
): Promise<void> {
  await transaction
    .updateTable("firmware")
    .set({ withdrawn_at: now })
    .where("arch", "=", arch)
    .where("version", "=", version)
    .where("withdrawn_at", "is", null)
    .execute();
  await stopRollouts(transaction, { kind: "firmware", subject: arch, version }, now);
  await transaction
    .updateTable("commands")
    .set({ state: "cancelled", updated_at: now })
    .where("state", "=", PENDING)
    .where("kind", "=", "firmware")
    .where("version", "=", version)
    .where(sql<string>`(select arch from devices where devices.id = commands.device_id)`, "=", arch)
    .execute();
}

/** The catalogue lists the newest version that is left of the app, or lists it no more. */
export async function withdrawVersions(
  transaction: Transaction<Tables>,
  appId: string,
  versions: readonly string[],
  now: number,
): Promise<void> {
  for (const version of versions) {
    await transaction
      .updateTable("app_versions")
      .set({ withdrawn_at: now })
      .where("app_id", "=", appId)
      .where("version", "=", version)
      .where("withdrawn_at", "is", null)
      .execute();
    await stopRollouts(transaction, { kind: "app", subject: appId, version }, now);
    const cancelled = await transaction
      .updateTable("commands")
      .set({ state: "cancelled", updated_at: now })
      .where("state", "=", PENDING)
      .where("kind", "=", "install")
      .where("subject", "=", appId)
      .where("version", "=", version)
      .returning(COMMAND_COLUMNS)
      .execute();
    await forgetWishes(transaction, cancelled, now);
  }
  await listNewest(transaction, appId, now);
}

async function listNewest(transaction: Transaction<Tables>, appId: string, now: number): Promise<void> {
  const newest = await transaction
    .selectFrom("app_versions")
    .selectAll()
    .where("app_id", "=", appId)
    .where("withdrawn_at", "is", null)
    .orderBy("version_order", "desc")
    .limit(1)
    .executeTakeFirst();
  const app = transaction.updateTable("apps").where("id", "=", appId);
  if (newest) await app.set(await listingOf(transaction, newest)).execute();
  else await app.set({ retracted_at: now }).where("retracted_at", "is", null).execute();
}

async function listingOf(transaction: Transaction<Tables>, row: Row<"app_versions">) {
  const manifest: Manifest = JSON.parse(row.manifest);
  const { name } = await transaction
    .selectFrom("publishers")
    .innerJoin("apps", "apps.publisher_id", "publishers.id")
    .select("publishers.name")
    .where("apps.id", "=", row.app_id)
    .executeTakeFirstOrThrow();
  const { description } = manifest;
  const author = manifest.author || name;
  return {
    ...{ version: row.version, size_bytes: row.size_bytes, icon_sha256: row.icon_sha256 },
    ...{ description, author, search_text: searchText(row.app_id, description, author) },
    published_at: row.published_at,
  };
}

type Payload = Pick<Row<"rollouts">, "kind" | "subject" | "version">;

/** Call it before the commands' statements, to lock rollouts first as a rollout's turn does. */
async function stopRollouts(
  transaction: Transaction<Tables>,
  { kind, subject, version }: Payload,
  now: number,
): Promise<void> {
  const stopped = await transaction
    .updateTable("rollouts")
    .set((eb) => ({
      ...{ state: "stopped", reason: `${subject} ${version} was withdrawn`, updated_at: now },
      revision: eb("revision", "+", 1),
    }))
    .where(IS_UNDER_WAY)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where("version", "=", version)
    .returning("id")
    .execute();
  for (const { id } of stopped)
    await transaction
      .updateTable("rollout_devices")
      .set({ state: "cancelled", updated_at: now })
      .where("rollout_id", "=", id)
      .where("state", "in", ["waiting", "sent"])
      .execute();
}
