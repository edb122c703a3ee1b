/**
 * What happened to consoles while an account held them (docs/spec/hub-api.md#history): connections, starts, crashes, and each
 * step of their commands. The id of a command is the correlation id of its steps: consoles repeat it in their results, and the hub in
 * messages between its processes and in its log.
 */
import { sql } from "kysely";
import type { ResetReason } from "../../protocol/device/answers.js";
import type { Actor, DeviceEvent as HistoryEvent } from "../../protocol/hub/answers/history.js";
import type { AccountCaller, Caller } from "../auth/authentication.js";
import type { Database, DeviceEventKind, Dialect, Row } from "../database/schema.js";
import { inPieces, inSlices, tableOf, text } from "../database/transactions.js";
import type { StartFields } from "../push/device-message.js";

/** What is known of an event besides its columns. */
export type EventDetails = Omit<HistoryEvent, "at" | "kind" | "connection" | "command_id" | "event_id">;

export interface DeviceEvent {
  readonly deviceId: string;
  readonly at: number;
  readonly kind: DeviceEventKind;
  readonly connection?: number | undefined;
  readonly commandId?: string | undefined;
  readonly details?: EventDetails | undefined;
}

/** Of a console with more, the oldest are deleted. */
export const EVENTS_LIMIT = 1000;

/** Events in a row from which on their kind and details are stored from one parameter: that halves the time [measured]. */
const ALIKE_LEAST = 8;

/** Runs of alike events that are stored apart, at most: outside a transaction, SQLite waits for the disk after each statement. */
const RUNS_LIMIT = 8;

/** Stores events, except of devices that no account holds: strangers register any number of them. */
export async function writeEvents(
  database: Database,
  dialect: Dialect,
  events: readonly DeviceEvent[],
): Promise<void> {
  const least = Math.max(ALIKE_LEAST, events.length / RUNS_LIMIT);
  let unlike: DeviceEvent[] = [];
  for (const run of runsOf(events)) {
    if (run.length < least) {
      unlike.push(...run);
      continue;
    }
    await writeUnlike(database, dialect, unlike);
    unlike = [];
    await writeAlike(database, dialect, run);
  }
  await writeUnlike(database, dialect, unlike);
}

/** Events in a row that differ in device, time, connection and command at most. Their order is that of their positions. */
function* runsOf(events: readonly DeviceEvent[]): Generator<readonly DeviceEvent[]> {
  for (let start = 0; start < events.length; ) {
    const { details, kind } = events[start] as DeviceEvent;
    let end = start + 1;
    while (events[end]?.details === details && events[end]?.kind === kind) end += 1;
    yield events.slice(start, end);
    start = end;
  }
}

async function writeUnlike(
  database: Database,
  dialect: Dialect,
  events: readonly DeviceEvent[],
): Promise<void> {
  for (const slice of inSlices(events)) {
    const rows = slice.map((event) => [...ownValues(event), event.kind, jsonOf(event)]);
    await sql`
      with happened (device_id, at, connection, command_id, kind, details) as (${tableOf(dialect, rows)})
      ${INSERT_HAPPENED} happened.kind, happened.details ${FROM_HAPPENED}`.execute(database);
  }
}

async function writeAlike(
  database: Database,
  dialect: Dialect,
  events: readonly DeviceEvent[],
): Promise<void> {
  const [first] = events;
  if (!first) return;
  for (const slice of inSlices(events)) {
    const rows = slice.map(ownValues);
    await sql`
      with happened (device_id, at, connection, command_id) as (${tableOf(dialect, rows)})
      ${INSERT_HAPPENED} ${text(first.kind)}, ${text(jsonOf(first))} ${FROM_HAPPENED}`.execute(database);
  }
}

const INSERT_HAPPENED = sql.raw(`
  insert into device_events (device_id, account_id, at, connection, command_id, kind, details)
  select happened.device_id, devices.account_id, happened.at, happened.connection, happened.command_id,`);

const FROM_HAPPENED = sql.raw(`
  from happened join devices on devices.id = happened.device_id where devices.account_id is not null`);

function ownValues({ deviceId, at, connection = 0, commandId }: DeviceEvent) {
  return [deviceId, at, connection, commandId ?? null];
}

function jsonOf({ details }: DeviceEvent): string | null {
  return details === undefined ? null : JSON.stringify(details);
}

/** What a command is, and the connection over which it was sent. */
type Command = Pick<Row<"commands">, "id" | "device_id" | "kind" | "subject" | "version" | "sent_connection">;

type Subject = Pick<Command, "kind" | "subject" | "version">;

/**
 * The same step of commands. Those for the same thing share their details, and are stored at once.
 * @param isByConsole whether the consoles have told of the step, over the connections of the commands
 */
export function commandEvents(
  commands: readonly Command[],
  kind: DeviceEventKind,
  at: number,
  details: EventDetails = {},
  isByConsole = false,
): readonly DeviceEvent[] {
  const shared = new SharedDetails();
  return commands.map((command) => ({
    deviceId: command.device_id,
    at,
    kind,
    connection: isByConsole ? command.sent_connection : 0,
    commandId: command.id,
    details: shared.of(command, details),
  }));
}

/** The details of steps of commands: one object for those in a row that are alike. */
export class SharedDetails {
  #last: [Subject, EventDetails, EventDetails] | undefined;

  /** @param details what else is known of the step: the same object for steps that are alike */
  of({ kind, subject, version }: Subject, details: EventDetails): EventDetails {
    if (this.#last) {
      const [command, own, made] = this.#last;
      const isSame = command.kind === kind && command.subject === subject && command.version === version;
      if (isSame && own === details) return made;
    }
    const made = {
      command: kind,
      ...(subject !== "" && { app_id: subject }),
      ...(version !== "" && { version }),
      ...details,
    };
    this.#last = [{ kind, subject, version }, details, made];
    return made;
  }
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
