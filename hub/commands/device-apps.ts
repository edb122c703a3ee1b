/**
 * The desired and the known state of a device's apps. Each function writes for many devices at once, inside the
 * transaction that changes their commands.
 */
import { type RawBuilder, sql } from "kysely";
import type { Database, Dialect, Row } from "../database/schema.js";
import { inPieces, number, rowsOf, tableOf, type Value } from "../database/transactions.js";
import { appAfter, type KnownApp } from "./command-state.js";

/** A new command, or one that has ended. */
type AppCommand = Pick<Row<"commands">, "device_id" | "kind" | "subject" | "version">;
type EndedCommand = AppCommand & Pick<Row<"commands">, "state" | "error">;

/** The transaction that writes, and its time. */
export interface WriteContext {
  readonly database: Database;
  readonly dialect: Dialect;
  readonly now: number;
}

/** Records new commands: apps to install are `requested`, known apps to remove are `removing`. */
export async function requestApps(context: WriteContext, orders: readonly AppCommand[]): Promise<void> {
  const installs = orders.filter(({ kind }) => kind === "install");
  const removals = orders.filter(({ kind }) => kind === "uninstall");
  await put(
    context,
    installs.map(({ device_id, subject, version }) => [device_id, subject, version, "requested", null]),
  );
  await update(context, removals, { state: "removing", error: null });
}

/** Records the results of commands that have ended. */
export async function recordApps(context: WriteContext, ended: readonly EndedCommand[]): Promise<void> {
  const known: Value[][] = [];
  const absent: AppCommand[] = [];
  const kept = new Map<string | null, AppCommand[]>();
  for (const command of ended) {
    const { device_id, kind, subject, version } = command;
    const result = appAfter(kind, command);
    if (result === "absent") absent.push(command);
    else if (result && kind === "install")
      known.push([device_id, subject, version, result.state, result.error]);
    else if (result) kept.set(result.error, [...(kept.get(result.error) ?? []), command]);
  }
  for (const [error, apps] of kept) await update(context, apps, { state: "failed", error });
  await put(context, known);
  await remove(context.database, absent);
}

/** Resets the apps of cancelled commands to the state that the last result reported. */
export async function resetApps(context: WriteContext, cancelled: readonly AppCommand[]): Promise<void> {
  const { database } = context;
  const apps = cancelled.filter(({ kind }) => kind !== "firmware");
  const last = new Map<string, EndedCommand>();
  for (const piece of inPieces(apps))
    for (const command of await endedFor(database, piece)) last.set(keyOf(command), command);
  await remove(
    database,
    apps.filter((app) => !last.has(keyOf(app))),
  );
  await recordApps(context, [...last.values()]);
}

/** Oldest first. */
function endedFor(database: Database, apps: readonly AppCommand[]): Promise<EndedCommand[]> {
  return database
    .selectFrom("commands")
    .select(["device_id", "kind", "subject", "version", "state", "error"])
    .where(sql<boolean>`(device_id, subject) in (values ${keys(apps)})`)
    .where("kind", "<>", "firmware")
    .where("state", "in", ["done", "failed"])
    .orderBy("position")
    .execute();
}

/** @param rows device, app, version, state and error of each */
async function put(
  { database, dialect, now }: WriteContext,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  for (const piece of inPieces(rows))
    await sql`
      with known (device_id, app_id, version, state, error) as (${tableOf(dialect, piece)})
      insert into device_apps (device_id, app_id, version, state, error, updated_at)
      select device_id, app_id, version, state, error, ${number(now)} from known where true
      on conflict (device_id, app_id) do update set version = excluded.version, state = excluded.state,
        error = excluded.error, updated_at = excluded.updated_at`.execute(database);
}

async function update(
  { database, now }: WriteContext,
  apps: readonly AppCommand[],
  { state, error }: Exclude<KnownApp, "absent">,
): Promise<void> {
  for (const piece of inPieces(apps))
    await database
      .updateTable("device_apps")
      .set({ state, error, updated_at: now })
      .where(sql<boolean>`(device_id, app_id) in (values ${keys(piece)})`)
      .execute();
}

async function remove(database: Database, apps: readonly AppCommand[]): Promise<void> {
  for (const piece of inPieces(apps))
    await database
      .deleteFrom("device_apps")
      .where(sql<boolean>`(device_id, app_id) in (values ${keys(piece)})`)
      .execute();
}

function keys(apps: readonly AppCommand[]): RawBuilder<unknown> {
  return rowsOf(apps.map(({ device_id, subject }) => [device_id, subject]));
}

function keyOf({ device_id, subject }: AppCommand): string {
  return `${device_id} ${subject}`;
}
