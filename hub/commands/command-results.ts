/**
 * Stores the results that devices report for their commands, batched into one transaction, since 10,000 devices may
 * answer at once. Each result names the connection over which it came. It is ignored if the device has a newer
 * connection (the fence), or if the command belongs to another device.
 */
import { sql } from "kysely";
import type { AppResult, FirmwareResult } from "../../protocol/hub/push-messages.js";
import type { HubContext } from "../context.js";
import type { CommandKind, Database, Row } from "../database/schema.js";
import { inPieces, retriedTransaction, rowsOf, tableOf } from "../database/transactions.js";
import { commandEvent, type DeviceEvent, writeEvents } from "../history/device-events.js";
import { recordEnded } from "../webhooks/record-events.js";
import { COMMAND_COLUMNS, PENDING } from "./command-rows.js";
import { advance, type CommandStatus, INITIAL, kindOf } from "./command-state.js";
import { recordApps, resetApps, type WriteContext } from "./device-apps.js";

export interface DeviceResult {
  readonly deviceId: string;
  /** Number of the connection over which it came. */
  readonly connection: number;
  readonly result: AppResult | FirmwareResult;
}

/** All results that a device has sent for one command over one connection. */
interface Outcome {
  readonly commandId: string;
  readonly deviceId: string;
  readonly connection: number;
  readonly kind: CommandKind;
  readonly subject: string;
  readonly status: CommandStatus;
}

/** @returns the commands that the results have changed */
export function applyResults(
  { database, dialect, now }: Pick<HubContext, "database" | "dialect" | "now">,
  results: readonly DeviceResult[],
): Promise<readonly Row<"commands">[]> {
  return retriedTransaction(database, async (transaction) => {
    const context = { database: transaction, dialect, now: now() };
    const outcomes = outcomesOf(results, await pendingBySubject(transaction, results));
    if (outcomes.length === 0) return [];
    const changed = await change(context, outcomes);
    const events = changed.map((command) => resultEvent(command, context.now));
    await writeEvents(transaction, dialect, events);
    await recordLateResults(context, outcomes, changed);
    const ended = changed.filter(({ state }) => state !== "pending");
    await recordApps(context, ended);
    const superseded = ended.filter(({ state }) => state === "replaced");
    await resetApps(context, superseded);
    await recordEnded(transaction, ended, context.now);
    return changed;
  });
}

/** The step of a command that a result has changed. */
export function resultEvent(command: Row<"commands">, now: number): DeviceEvent {
  const { state, progress, error, sent_connection: connection } = command;
  return commandEvent(command, state === "pending" ? "progress" : state, now, {
    ...{ connection },
    ...(progress !== null && { progress }),
    ...(error !== null && { error }),
  });
}

/** Finds the pending command for each result without a command id: at most one per device, kind and subject. */
async function pendingBySubject(
  database: Database,
  results: readonly DeviceResult[],
): Promise<ReadonlyMap<string, string>> {
  const unnamed = results.filter(({ result }) => result.command_id === undefined);
  const found = new Map<string, string>();
  for (const piece of inPieces(unnamed))
    for (const { id, device_id, kind, subject } of await database
      .selectFrom("commands")
      .select(["id", "device_id", "kind", "subject"])
      .where("state", "=", PENDING)
      .where(
        sql<boolean>`(device_id, subject) in (values ${rowsOf(piece.map((one) => [one.deviceId, subjectOf(one.result)]))})`,
      )
      .execute())
      found.set(`${device_id} ${kind} ${subject}`, id);
  return found;
}

function outcomesOf(results: readonly DeviceResult[], pending: ReadonlyMap<string, string>): Outcome[] {
  const outcomes = new Map<string, Outcome>();
  for (const { deviceId, connection, result } of results) {
    const kind = kindOf(result);
    const subject = subjectOf(result);
    const commandId = result.command_id ?? pending.get(`${deviceId} ${kind} ${subject}`);
    // A superseded command is not the one that is pending now.
    if (commandId === undefined || (result.command_id === undefined && result.error === "superseded"))
      continue;
    const key = `${deviceId} ${connection} ${commandId} ${kind} ${subject}`;
    const status = advance(outcomes.get(key)?.status ?? INITIAL, { kind: "result", result });
    outcomes.set(key, { commandId, deviceId, connection, kind, subject, status });
  }
  return [...outcomes.values()];
}

function subjectOf(result: AppResult | FirmwareResult): string {
  return result.type === "firmware.update.result" ? "" : result.app_id;
}

/** Of one statement, which blocks a process on SQLite for some milliseconds. */
const OUTCOMES_AT_ONCE = 250;

async function change(
  { database, dialect, now }: WriteContext,
  outcomes: readonly Outcome[],
): Promise<readonly Row<"commands">[]> {
  const changed: Row<"commands">[] = [];
  for (let at = 0; at < outcomes.length; at += OUTCOMES_AT_ONCE) {
    const values = outcomes.slice(at, at + OUTCOMES_AT_ONCE).map(valuesOf);
    const { rows } = await sql<Row<"commands">>`
      with outcomes (${OUTCOME_COLUMNS}) as (${tableOf(dialect, values)})
      update commands set state = outcomes.state, progress = outcomes.progress, error = outcomes.error, updated_at = ${now}
      from outcomes where ${IS_ANSWERED} and commands.state = 'pending'
      returning ${sql.join(COMMAND_COLUMNS.map((column) => sql.ref(column)))}`.execute(database);
    changed.push(...rows);
  }
  return changed;
}

/**
 * Records results of cancelled commands, which a device may have executed. The command stays cancelled, but the
 * device's app record is updated, unless the app has a newer command.
 */
async function recordLateResults(
  context: WriteContext,
  outcomes: readonly Outcome[],
  changed: readonly Row<"commands">[],
): Promise<void> {
  const inTime = new Set(changed.map(({ id }) => id));
  const late = outcomes.filter(({ commandId }) => !inTime.has(commandId));
  if (late.length === 0) return;
  const { database, dialect } = context;
  const { rows } = await sql<Row<"commands">>`
    with outcomes (${OUTCOME_COLUMNS}) as (${tableOf(dialect, late.map(valuesOf))})
    select commands.device_id, commands.kind, commands.subject, commands.version, outcomes.state, outcomes.error
    from commands, outcomes where ${IS_ANSWERED} and commands.state = 'cancelled' and not exists (
      select 1 from commands as newer where newer.device_id = commands.device_id
        and newer.subject = commands.subject and newer.position > commands.position)`.execute(database);
  await recordApps(context, rows);
}

const OUTCOME_COLUMNS = sql.raw("id, device_id, connection, kind, subject, state, progress, error");

/** Matches the command of an outcome, if the outcome came over the device's newest connection. */
const IS_ANSWERED = sql.raw(`commands.id = outcomes.id and commands.device_id = outcomes.device_id
  and commands.kind = outcomes.kind and commands.subject = outcomes.subject and exists (
    select 1 from devices where devices.id = outcomes.device_id and devices.connection = outcomes.connection)`);

function valuesOf({ commandId, deviceId, connection, kind, subject, status }: Outcome) {
  return [commandId, deviceId, connection, kind, subject, status.state, status.progress, status.error];
}
