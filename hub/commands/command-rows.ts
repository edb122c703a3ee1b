/** Statements over the table of commands. Each is atomic, under any concurrency. */
import { sql } from "kysely";
import type { CommandRecord } from "../../protocol/hub/answers/devices.js";
import { countRows, isoTime, type Page } from "../api/answers.js";
import { newestRows } from "../api/newest-rows.js";
import type { HubContext } from "../context.js";
import type { Database, Dialect, Row } from "../database/schema.js";
import { inPieces, isOneOf } from "../database/transactions.js";
import { advance, type CommandEvent, INITIAL } from "./command-state.js";

/**
 * A command as the API shows it.
 * @param isOnline whether the device is connected now
 */
export function commandRecord(row: Row<"commands">, isOnline: boolean): CommandRecord {
  return {
    command_id: row.id,
    state: row.state === "pending" ? (isOnline ? "sent" : "queued") : row.state,
    kind: row.kind,
    ...(row.subject === "" ? {} : { app_id: row.subject }),
    ...(row.version === "" ? {} : { version: row.version }),
    ...(row.progress === null ? {} : { progress: row.progress }),
    ...(row.error === null ? {} : { error: row.error }),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    ...(row.state === "pending" && row.expires_at !== null && { expires_at: isoTime(row.expires_at) }),
  };
}

/** A command that a result has changed, or that has ended. */
export type ChangedCommand = Pick<
  Row<"commands">,
  | ("id" | "device_id" | "kind" | "subject" | "version")
  | ("state" | "progress" | "error" | "sent_connection" | "rollout_id")
>;

/** Every column, for statements that return rows: SQLite does not accept `commands.*` there. */
export const COMMAND_COLUMNS = Object.freeze([
  "commands.id",
  "commands.position",
  "commands.device_id",
  "commands.kind",
  "commands.subject",
  "commands.version",
  "commands.state",
  "commands.progress",
  "commands.error",
  "commands.sent_connection",
  "commands.rollout_id",
  "commands.allows_downgrade",
  "commands.expires_at",
  "commands.created_at",
  "commands.updated_at",
] as const);

/** Commands that a process dequeues at a time; more would block other writers. */
const DEQUEUE_LIMIT = 1000;

/** A literal, since SQLite does not use the partial index of pending commands for a parameter. */
export const PENDING = sql.lit<"pending">("pending");

/**
 * Marks commands of the process's devices that were never sent as sent over the devices' present connections. Those that
 * were sent over an earlier connection are for {@link dequeuePending}, when the device connects.
 * @param deviceIds all devices of the process by default
 * @returns the oldest commands, unordered, at most {@link DEQUEUE_LIMIT}
 */
export async function dequeueUnsent(
  { database, dialect, processId }: Pick<HubContext, "database" | "dialect" | "processId">,
  deviceIds: readonly string[] | undefined,
): Promise<Row<"commands">[]> {
  // SQLite has no statistics about these rows: without the hint it would read every command of a device.
  const byUnsent = sql.raw(dialect === "sqlite" ? "indexed by commands_unsent" : "");
  const named = deviceIds ? sql`and devices.id in (${sql.join(deviceIds)})` : sql.raw("");
  const { rows } = await sql<{ readonly id: string }>`
    select commands.id from devices join commands ${byUnsent} on commands.device_id = devices.id
    where devices.process_id = ${processId} and commands.state = 'pending'
      and commands.sent_connection = 0 ${named}
    order by commands.position limit ${DEQUEUE_LIMIT}`.execute(database);
  const dequeued: Row<"commands">[] = [];
  if (rows.length === 0) return dequeued;
  await database.transaction().execute(async (transaction) => {
    for (const piece of inPieces(rows.map(({ id }) => id)))
      dequeued.push(
        ...(await markSent(transaction, processId)
          .where("commands.id", "in", piece)
          .where("commands.sent_connection", "<>", connectionOf)
          .execute()),
      );
  });
  return dequeued;
}

/**
 * Marks all pending commands of these devices of the process as sent over their present connections. Most devices that connect
 * have none, for which a look is enough.
 */
export async function dequeuePending(
  { database, dialect, processId }: Pick<HubContext, "database" | "dialect" | "processId">,
  deviceIds: readonly string[],
): Promise<Row<"commands">[]> {
  const pending = await database
    .selectFrom("commands")
    .select("id")
    .where(isOneOf(dialect, "device_id", deviceIds))
    .where("state", "=", PENDING)
    .execute();
  if (pending.length === 0) return [];
  return markSent(database, processId)
    .where(isOneOf(dialect, "commands.device_id", deviceIds))
    .execute();
}

/** Avoids a join, for which SQLite would scan all devices of the process. */
function markSent(database: Database, processId: string) {
  return database
    .updateTable("commands")
    .set({ sent_connection: connectionOf })
    .where("commands.state", "=", PENDING)
    .where(
      sql<string>`(select process_id from devices where devices.id = commands.device_id)`,
      "=",
      processId,
    )
    .returning(COMMAND_COLUMNS);
}

/** Reverses {@link markSent} for commands that are still pending. */
export async function markUnsent(database: Database, commandIds: readonly string[]): Promise<void> {
  await database
    .updateTable("commands")
    .set({ sent_connection: 0 })
    .where("id", "in", commandIds)
    .where("state", "=", PENDING)
    .execute();
}

/** The present connection of a command's device. */
const connectionOf = sql<number>`(select connection from devices where devices.id = commands.device_id)`;

/** The architecture of a command's device. */
const archOf = sql<string>`(select arch from devices where devices.id = commands.device_id)`;

/** Replaces pending commands of these devices for a subject. @returns the replaced commands */
export function replacePending(
  { database, dialect }: { readonly database: Database; readonly dialect: Dialect },
  deviceIds: readonly string[],
  subject: string,
  now: number,
): Promise<Row<"commands">[]> {
  return database
    .updateTable("commands")
    .set(after({ kind: "replaced" }, now))
    .where("state", "=", PENDING)
    .where(isOneOf(dialect, "device_id", deviceIds))
    .where("subject", "=", subject)
    .returning(COMMAND_COLUMNS)
    .execute();
}

/** @returns the highest number of pending commands of any of these devices */
export async function mostPending(database: Database, deviceIds: readonly string[]): Promise<number> {
  const most = await database
    .selectFrom("commands")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", PENDING)
    .where("device_id", "in", deviceIds)
    .groupBy("device_id")
    .orderBy("count", "desc")
    .limit(1)
    .executeTakeFirst();
  return Number(most?.count ?? 0);
}

/** @returns those of the devices that have `limit` pending commands or more */
export async function fullDevices(
  database: Database,
  deviceIds: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("commands")
    .select("device_id")
    .where("state", "=", PENDING)
    .where("device_id", "in", deviceIds)
    .groupBy("device_id")
    .having((eb) => eb(eb.fn.countAll(), ">=", limit))
    .execute();
  return rows.map(({ device_id }) => device_id);
}

/**
 * Deletes old commands of a device that have ended, except for the newest ones, those whose end their rollout has not
 * processed, and the last result of each of its apps in `device_apps`.
 */
export async function deleteEnded(database: Database, deviceId: string, keptCount: number): Promise<void> {
  await sql`
    delete from commands where device_id = ${deviceId} and state <> 'pending' and position < (
        select position from commands where device_id = ${deviceId} and state <> 'pending'
        order by position desc limit 1 offset ${keptCount - 1})
      and not exists (select 1 from rollout_devices where rollout_devices.rollout_id = commands.rollout_id
        and rollout_devices.device_id = commands.device_id and rollout_devices.state = 'sent')
      and (commands.state in ('replaced', 'cancelled')
        or not exists (select 1 from device_apps
          where device_apps.device_id = commands.device_id and device_apps.app_id = commands.subject)
        or exists (select 1 from commands as newer where newer.device_id = commands.device_id
          and newer.subject = commands.subject and newer.state in ('done', 'failed')
          and newer.position > commands.position))`.execute(database);
}

/** Commands for which every given member matches. */
export interface CommandFilter
  extends Partial<Pick<Row<"commands">, "id" | "kind" | "subject" | "version" | "rollout_id">> {
  readonly device_id?: string | readonly string[];
  /** The device's architecture. */
  readonly arch?: string;
}

/** @returns the commands that were pending until now */
export function cancelPending(
  database: Database,
  { arch, device_id, ...columns }: CommandFilter,
  now: number,
): Promise<Row<"commands">[]> {
  return database
    .updateTable("commands")
    .set(after({ kind: "cancelled" }, now))
    .where("state", "=", PENDING)
    .where((eb) =>
      eb.and([
        eb.and(columns),
        ...(device_id === undefined ? [] : [eb("device_id", "in", [device_id].flat())]),
        ...(arch === undefined ? [] : [eb(archOf, "=", arch)]),
      ]),
    )
    .returning(COMMAND_COLUMNS)
    .execute();
}

function after(event: CommandEvent, now: number) {
  const { state, error } = advance(INITIAL, event);
  return { state, updated_at: now, ...(error !== null && { error }) };
}

/**
 * Ends pending commands whose time is over.
 * @param defaultMs the time of commands without one, from their creation
 * @returns the expired commands, at most `limit`
 */
export async function expirePending(
  database: Database,
  { now, defaultMs, limit }: { readonly now: number; readonly defaultMs: number; readonly limit: number },
): Promise<Row<"commands">[]> {
  const pending = database.selectFrom("commands").select("id").where("state", "=", PENDING).limit(limit);
  const dated = await pending.where("expires_at", "<=", now).execute();
  const undated = await pending
    .where("expires_at", "is", null)
    .where("created_at", "<=", now - defaultMs)
    .execute();
  const expired: Row<"commands">[] = [];
  for (const piece of inPieces([...dated, ...undated].map(({ id }) => id).slice(0, limit)))
    expired.push(
      ...(await database
        .updateTable("commands")
        .set(after({ kind: "expired" }, now))
        .where("id", "in", piece)
        .where("state", "=", PENDING)
        .returning(COMMAND_COLUMNS)
        .execute()),
    );
  return expired;
}

/** @returns those of the devices that have more than `count` commands, in any state */
export async function devicesAbove(
  database: Database,
  deviceIds: readonly string[],
  count: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const piece of inPieces(deviceIds)) {
    const { rows } = await sql<{ readonly id: string }>`
      select id from devices where id in (${sql.join(piece)}) and exists (
        select 1 from commands where commands.device_id = devices.id limit 1 offset ${count})`.execute(
      database,
    );
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

export interface CommandPage {
  readonly total: number;
  readonly commands: readonly Row<"commands">[];
  readonly next: string | undefined;
}

/** The device's commands, newest first. */
export async function commandsOf(database: Database, deviceId: string, page: Page): Promise<CommandPage> {
  const total = await countRows(database.selectFrom("commands").where("device_id", "=", deviceId));
  const { entries: commands, next } = await newestRows(database, "commands", { device_id: deviceId }, page);
  return { total, commands, next };
}
