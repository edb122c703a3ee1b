/**
 * The desired and the known state of a device's apps. Each function writes for many devices at once, inside the
 * transaction that changes their commands.
 */
import { type RawBuilder, sql } from "kysely";
import type { Database, Dialect, Row } from "../database/schema.js";
import { inPieces, inSlices, number, rowsOf, tableOf, text } from "../database/transactions.js";
import { grouped } from "../grouped.js";
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
    installs.map(({ device_id, subject, version }) => {
      return { device_id, subject, version, state: "requested", error: null };
    }),
  );
  await update(context, removals, { state: "removing", error: null });
}

/** Records the results of commands that have ended. */
export async function recordApps(context: WriteContext, ended: readonly EndedCommand[]): Promise<void> {
  const known: KnownOf[] = [];
  const absent: AppCommand[] = [];
  const kept: KnownOf[] = [];
  for (const command of ended) {
    const { device_id, kind, subject, version } = command;
    const result = appAfter(kind, command);
    if (result === "absent") absent.push(command);
    else if (result) (kind === "install" ? known : kept).push({ device_id, subject, version, ...result });
  }
  for (const alike of grouped(kept, ({ error }) => error ?? ""))
    await update(context, alike, { state: "failed", error: alike[0].error });
  await put(context, known);
  await remove(context.database, absent);
}

/** What is known of an app of a device. */
interface KnownOf extends Pick<AppCommand, "device_id" | "subject" | "version"> {
  readonly state: Row<"device_apps">["state"];
  readonly error: string | null;
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

/** Of apps that one statement can store for many devices. */
function keyOfKnown({ subject, version, state, error }: KnownOf): string {
  return [subject, version, state, error].join(" ");
}

/** Apps from which on a statement for them alone is worth its time. */
const ALIKE_LEAST = 8;

async function put(context: WriteContext, apps: readonly KnownOf[]): Promise<void> {
  const others: KnownOf[] = [];
  for (const group of grouped(apps, keyOfKnown))
    if (group.length < ALIKE_LEAST) others.push(...group);
    else await putAlike(context, group);
  for (const piece of inSlices(others)) {
    const rows = piece.map(({ device_id, subject, version, state, error }) => {
      return [device_id, subject, version, state, error];
    });
    const columns = sql.raw("device_id, app_id, version, state, error");
    const known = sql`known (${columns}) as (${tableOf(context.dialect, rows)})`;
    await putKnown(context, known, columns);
  }
}

/** @param alike with the same key */
async function putAlike(context: WriteContext, alike: readonly [KnownOf, ...KnownOf[]]): Promise<void> {
  const [{ subject, version, state, error }] = alike;
  const columns = sql`device_id, ${text(subject)}, ${text(version)}, ${text(state)}, ${text(error)}`;
  for (const piece of inSlices(alike)) {
    const rows = piece.map(({ device_id }) => [device_id]);
    await putKnown(context, sql`known (device_id) as (${tableOf(context.dialect, rows)})`, columns);
  }
}

/** @param columns device, app, version, state and error, of `known` */
async function putKnown(
  { database, now }: WriteContext,
  known: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with ${known}
    insert into device_apps (device_id, app_id, version, state, error, updated_at)
    select ${columns}, ${number(now)} from known where true
    on conflict (device_id, app_id) do update set version = excluded.version, state = excluded.state,
      error = excluded.error, updated_at = excluded.updated_at`.execute(database);
}

async function update(
  { database, now }: WriteContext,
  apps: readonly Pick<AppCommand, "device_id" | "subject">[],
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

function keys(apps: readonly Pick<AppCommand, "device_id" | "subject">[]): RawBuilder<unknown> {
  return rowsOf(apps.map(({ device_id, subject }) => [device_id, subject]));
}

function keyOf({ device_id, subject }: AppCommand): string {
  return `${device_id} ${subject}`;
}
