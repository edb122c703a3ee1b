/**
 * What happened to consoles while an account held them (docs/spec/hub-api.md#history): connections, starts, crashes, and each
 * step of their commands. The id of a command is the correlation id of its steps: consoles repeat it in their results, and the hub in
 * messages between its processes and in its log.
 */
import { sql } from "kysely";
import type { ResetReason } from "../../protocol/device/answers.js";
import type { AccountCaller, Caller } from "../auth/authentication.js";
import type { Database, DeviceEventKind, Dialect, Row } from "../database/schema.js";
import { inPieces, tableOf } from "../database/transactions.js";
import type { StartFields } from "../push/device-message.js";

/** Who has ordered or cancelled a command. */
export interface Actor {
  readonly kind: "device" | "account" | "member" | "program" | "rollout" | "hub";
  /** Of a member, a program's token, or a rollout. */
  readonly id?: string;
  /** As it was. */
  readonly name?: string;
}

/** What is known of an event besides its columns. */
export interface EventDetails {
  /** What the command was: kind, app and version. */
  readonly command?: Row<"commands">["kind"];
  readonly app_id?: string;
  readonly version?: string;
  readonly by?: Actor;
  /** Of a firmware update. */
  readonly progress?: string;
  /** Code of the error, as the device reported it. */
  readonly error?: string;
  /** Id of the command that has replaced this one. */
  readonly replaced_by?: string;
  /** Why the console has started, and how many seconds before it told so. */
  readonly reset_reason?: ResetReason;
  readonly uptime_s?: number;
  /** Of an app that has crashed: the line of the console's log. */
  readonly message?: string;
  /** Why a command was cancelled by no one's request. */
  readonly reason?: "expired" | "released" | "withdrawn";
}

export interface DeviceEvent {
  readonly deviceId: string;
  readonly at: number;
  readonly kind: DeviceEventKind;
  readonly connection?: number;
  readonly commandId?: string;
  readonly details?: EventDetails;
}

/** Of a console with more, the oldest are deleted. */
export const EVENTS_LIMIT = 1000;

/** Events of one statement, which blocks a process on SQLite for some milliseconds. */
const EVENTS_AT_ONCE = 250;

/** Stores events, except of devices that no account holds: strangers register any number of them. */
export async function writeEvents(
  database: Database,
  dialect: Dialect,
  events: readonly DeviceEvent[],
): Promise<void> {
  for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
    const rows = events.slice(at, at + EVENTS_AT_ONCE).map(valuesOf);
    await sql`
      with happened (device_id, at, kind, connection, command_id, details) as (${tableOf(dialect, rows)})
      insert into device_events (device_id, account_id, at, kind, connection, command_id, details)
      select happened.device_id, devices.account_id, happened.at, happened.kind, happened.connection,
        happened.command_id, happened.details
      from happened join devices on devices.id = happened.device_id
      where devices.account_id is not null`.execute(database);
  }
}

function valuesOf({ deviceId, at, kind, connection = 0, commandId, details }: DeviceEvent) {
  const json = details === undefined ? null : JSON.stringify(details);
  return [deviceId, at, kind, connection, commandId ?? null, json];
}

type Command = Pick<Row<"commands">, "id" | "device_id" | "kind" | "subject" | "version">;

/** A step of a command. */
export function commandEvent(
  { id, device_id, kind: command, subject, version }: Command,
  kind: DeviceEventKind,
  at: number,
  { connection = 0, ...details }: EventDetails & { readonly connection?: number } = {},
): DeviceEvent {
  return {
    ...{ deviceId: device_id, at, kind, connection, commandId: id },
    details: {
      ...{ command, ...(subject !== "" && { app_id: subject }), ...(version !== "" && { version }) },
      ...details,
    },
  };
}

/** @param caller of an endpoint that gives or cancels commands */
export function actorOf(caller: Caller | undefined): Actor {
  if (caller?.kind === "account") return accountActor(caller);
  return { kind: caller?.kind === "device" ? "device" : "hub" };
}

function accountActor({ member }: AccountCaller): Actor {
  return member ? { kind: member.kind, id: member.id, name: member.name } : { kind: "account" };
}

/** Starts after which a console needs attention: it did not start because somebody or an update wanted it. */
const FAILURES: readonly ResetReason[] = Object.freeze(["crash", "watchdog", "rollback"]);

/** A start is told of with its connection. One that was longer ago says little of today. */
const RECENT_S = 3600;

/** A start that the console has told of. */
export function startEvent(
  deviceId: string,
  connection: number,
  { reset_reason, uptime_s }: StartFields,
): Omit<DeviceEvent, "at"> {
  const kind = FAILURES.includes(reset_reason) && uptime_s < RECENT_S ? "crashed" : "restarted";
  return { deviceId, connection, kind, details: { reset_reason, uptime_s } };
}

/** Deletes the events of a console but the newest {@link EVENTS_LIMIT}. */
export async function deleteSurplus(database: Database, deviceId: string): Promise<void> {
  await sql`
    delete from device_events where device_id = ${deviceId} and position <= (
      select position from device_events where device_id = ${deviceId}
      order by position desc limit 1 offset ${EVENTS_LIMIT})`.execute(database);
}

/** @returns those of the consoles that have more than {@link EVENTS_LIMIT} events */
export async function devicesWithSurplus(
  database: Database,
  deviceIds: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const piece of inPieces(deviceIds)) {
    const { rows } = await sql<{ readonly id: string }>`
      select id from devices where id in (${sql.join(piece)}) and exists (
        select 1 from device_events where device_events.device_id = devices.id
        limit 1 offset ${EVENTS_LIMIT})`.execute(database);
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

/**
 * Deletes those of the first `limit` events that are older than `before`. Events are stored about in the order of their
 * times: an index of the times would cost each of them more than it is worth.
 */
export async function deleteOldEvents(database: Database, before: number, limit: number): Promise<void> {
  const first = database.selectFrom("device_events").select("position").orderBy("position").limit(limit);
  await database
    .deleteFrom("device_events")
    .where("position", "in", first)
    .where("at", "<=", before)
    .execute();
}
