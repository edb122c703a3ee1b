/**
 * Withdraws apps and firmware: requests for them get 410, their pending commands are cancelled, and their rollouts
 * stop. Each function works only inside a transaction, since the operator withdraws outside of the hub's processes.
 */
import type { Transaction } from "kysely";
import { listingOf, newestVersion } from "../catalog/publishing.js";
import { indexApp } from "../catalog/search-words.js";
import { cancelPending } from "../commands/command-rows.js";
import { resetApps } from "../commands/device-apps.js";
import { type Database, IS_UNDER_WAY, type Row, type Tables } from "../database/schema.js";
import { dialectOf } from "../database/transactions.js";
import { commandEvents, writeEvents } from "../history/device-events.js";
import { cancelDevices } from "../rollouts/rollout-update.js";
import { type HubEvent, rolloutEvent } from "../webhooks/events.js";
import { recordEvents } from "../webhooks/record-events.js";

type FirmwareName = Pick<Row<"firmware">, "arch" | "version">;

/** The apps and firmware that a withdrawal covers, as the operator sees it. */
export interface Withdrawal {
  readonly apps: readonly { readonly app_id: string; readonly version: string }[];
  readonly firmware: readonly FirmwareName[];
}

export interface Publications {
  readonly versions: readonly Row<"app_versions">[];
  readonly firmware: readonly Row<"firmware">[];
}

/** Everything that the publisher has published and that is not withdrawn. */
export async function publicationsOf(database: Database, publisherId: string): Promise<Publications> {
  const versions = await database
    .selectFrom("app_versions")
    .innerJoin("apps", "apps.id", "app_versions.app_id")
    .selectAll("app_versions")
    .where("apps.publisher_id", "=", publisherId)
    .where("app_versions.withdrawn_at", "is", null)
    .orderBy("app_versions.app_id")
    .execute();
  const firmware = await database
    .selectFrom("firmware")
    .selectAll()
    .where("publisher_id", "=", publisherId)
    .where("withdrawn_at", "is", null)
    .execute();
  return { versions, firmware };
}

/** Withdraws publications. No-op for those that are withdrawn already. */
export async function withdraw(
  transaction: Transaction<Tables>,
  { versions, firmware }: Publications,
  now: number,
): Promise<Withdrawal> {
  const byApp = new Map<string, string[]>();
  for (const { app_id, version } of versions)
    if (!byApp.get(app_id)?.push(version)) byApp.set(app_id, [version]);
  const events: HubEvent[] = [];
  for (const [appId, ofApp] of byApp)
    events.push(...(await withdrawVersions(transaction, appId, ofApp, now)));
  for (const one of firmware) events.push(...(await withdrawFirmware(transaction, one, now)));
  await recordEvents(transaction, events, now);
  return {
    apps: versions.map(({ app_id, version }) => ({ app_id, version })),
    firmware: firmware.map(({ arch, version }) => ({ arch, version })),
  };
}

/** @returns the events of the rollouts that it has stopped */
async function withdrawFirmware(
  transaction: Transaction<Tables>,
  { arch, version }: FirmwareName,
  now: number,
): Promise<readonly HubEvent[]> {
  await transaction
    .updateTable("firmware")
    .set({ withdrawn_at: now })
    .where("arch", "=", arch)
    .where("version", "=", version)
    .where("withdrawn_at", "is", null)
    .execute();
  const events = await stopRollouts(transaction, { kind: "firmware", subject: arch, version }, now);
  const cancelled = await cancelPending(transaction, { kind: "firmware", version, arch }, now);
  await recordWithdrawn(transaction, cancelled, now);
  return events;
}

/** Adds to the timelines of the commands that the withdrawal has cancelled. */
function recordWithdrawn(
  transaction: Transaction<Tables>,
  cancelled: readonly Row<"commands">[],
  now: number,
): Promise<void> {
  const events = commandEvents(cancelled, "cancelled", now, { reason: "withdrawn" });
  return writeEvents(transaction, dialectOf(transaction), events);
}

/**
 * The catalogue then lists the app's newest remaining version, or no longer lists the app.
 * @returns the events of the rollouts that it has stopped
 */
async function withdrawVersions(
  transaction: Transaction<Tables>,
  appId: string,
  versions: readonly string[],
  now: number,
): Promise<readonly HubEvent[]> {
  const events: HubEvent[] = [];
  for (const version of versions) {
    await transaction
      .updateTable("app_versions")
      .set({ withdrawn_at: now })
      .where("app_id", "=", appId)
      .where("version", "=", version)
      .where("withdrawn_at", "is", null)
      .execute();
    events.push(...(await stopRollouts(transaction, { kind: "app", subject: appId, version }, now)));
    const cancelled = await cancelPending(transaction, { kind: "install", subject: appId, version }, now);
    await resetApps({ database: transaction, dialect: dialectOf(transaction), now }, cancelled);
    await recordWithdrawn(transaction, cancelled, now);
  }
  await listNewest(transaction, appId, now);
  return events;
}

/** The app becomes what its newest version that is offered says. Without one, the catalogue no longer lists it. */
export async function listNewest(
  transaction: Transaction<Tables>,
  appId: string,
  now: number,
): Promise<void> {
  const newest = await newestVersion(transaction, appId);
  const app = transaction.updateTable("apps").where("id", "=", appId);
  if (!newest) {
    await app.set({ retracted_at: now }).where("retracted_at", "is", null).execute();
    return;
  }
  const { name } = await transaction
    .selectFrom("publishers")
    .innerJoin("apps", "apps.publisher_id", "publishers.id")
    .select("publishers.name")
    .where("apps.id", "=", appId)
    .executeTakeFirstOrThrow();
  await indexApp(
    transaction,
    await app.set(listingOf(newest, name)).returningAll().executeTakeFirstOrThrow(),
  );
}

type Payload = Pick<Row<"rollouts">, "kind" | "subject" | "version">;

/**
 * Call it before writing commands: an update of a rollout also locks the rollout first.
 * @returns the events of the stopped rollouts, to be recorded last
 */
async function stopRollouts(
  transaction: Transaction<Tables>,
  { kind, subject, version }: Payload,
  now: number,
): Promise<readonly HubEvent[]> {
  const stopped = await transaction
    .updateTable("rollouts")
    .set((eb) => ({
      state: "stopped",
      reason: `${subject} ${version} was withdrawn`,
      updated_at: now,
      revision: eb("revision", "+", 1),
    }))
    .where(IS_UNDER_WAY)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where("version", "=", version)
    .returningAll()
    .execute();
  for (const { id } of stopped) await cancelDevices(transaction, id, now);
  return stopped.flatMap((rollout) => rolloutEvent({ ...rollout, state: "running" }, rollout) ?? []);
}
