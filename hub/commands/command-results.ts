/**
 * Stores the results that devices report for their commands, batched into one transaction, since 10,000 devices may
 * answer at once. Each result names the connection over which it came. It is ignored if the device has a newer
 * connection (the fence), or if the command belongs to another device.
 */
import { sql } from "kysely";
import type { AppResult, FirmwareResult } from "../../protocol/hub/push-messages.js";
import type { HubContext } from "../context.js";
import type { CommandKind, Database, Row } from "../database/schema.js";
import { inPieces, inSlices, retriedTransaction, rowsOf, tableOf } from "../database/transactions.js";
import { grouped } from "../grouped.js";
import { commandEvents, type DeviceEvent, writeEvents } from "../history/device-events.js";
import { recordEnded } from "../webhooks/record-events.js";
import { type ChangedCommand, PENDING } from "./command-rows.js";
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
): Promise<readonly ChangedCommand[]> {
  return retriedTransaction(database, async (transaction) => {
    const context = { database: transaction, dialect, now: now() };
    const outcomes = outcomesOf(results, await pendingBySubject(transaction, results));
    const changed = await change(context, outcomes);
    await recordLateResults(context, outcomes, changed);
    const ended = changed.filter(({ state }) => state !== "pending");
    await recordApps(context, ended);
    const superseded = ended.filter(({ state }) => state === "replaced");
    await resetApps(context, superseded);
    await recordEnded(transaction, ended, context.now);
    return changed;
  });
}

/** Of results by which one statement can change the commands of many devices. */
function keyOf({ kind, subject, status: { state, progress, error } }: Outcome): string {
  return [kind, subject, state, progress, error].join(" ");
}

/** Adds to the timelines of commands that the same result has changed. */
export function writeResults(
  { database, dialect, now }: WriteContext,
  changed: readonly ChangedCommand[],
): Promise<void> {
  return writeEvents(database, dialect, resultEvents(changed, now));
}

/** @param changed by the same result */
function resultEvents(changed: readonly ChangedCommand[], now: number): readonly DeviceEvent[] {
  const [first] = changed;
  if (!first) return [];
  const { state, progress, error } = first;
  const kind = state === "pending" ? "progress" : state;
  const details = { ...(progress !== null && { progress }), ...(error !== null && { error }) };
  return commandEvents(changed, kind, now, details, true);
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

/** Results from which on a statement for them alone is worth its time. Of fewer there may be hundreds in a batch, all unlike. */
const ALIKE_LEAST = 8;

async function change(
  context: WriteContext,
  outcomes: readonly Outcome[],
): Promise<readonly ChangedCommand[]> {
  const changed: ChangedCommand[] = [];
  const others: Outcome[] = [];
  const several = devicesWithSeveral(outcomes); // whose order stays that of their history
  for (const group of grouped(outcomes, (one) => (several.has(one.deviceId) ? "" : keyOf(one))))
    if (group.length < ALIKE_LEAST || several.has(group[0].deviceId)) others.push(...group);
    else changed.push(...(await changeAlike(context, group)));
  changed.push(...(await changeUnlike(context, others)));
  return changed;
}

function devicesWithSeveral(outcomes: readonly Outcome[]): ReadonlySet<string> {
  const several = new Set<string>();
  const seen = new Set<string>();
  for (const { deviceId } of outcomes) if (seen.size === seen.add(deviceId).size) several.add(deviceId);
  return several;
}

/** @param alike with the same key */
async function changeAlike(
  context: WriteContext,
  alike: readonly [Outcome, ...Outcome[]],
): Promise<readonly ChangedCommand[]> {
  const { database, dialect, now } = context;
  const [{ kind, subject, status }] = alike;
  const { state, progress, error } = status;
  const changed: ChangedCommand[] = [];
  for (const slice of inSlices(alike)) {
    const rows = slice.map(({ commandId, deviceId, connection }) => [commandId, deviceId, connection]);
    // Few columns, since each of a row costs a third of a microsecond.
    const updated = await sql<Omit<ChangedCommand, "kind" | "subject" | keyof CommandStatus>>`
      with outcomes (id, device_id, connection) as (${tableOf(dialect, rows)})
      update commands set state = ${state}, progress = ${progress}, error = ${error}, updated_at = ${now}
      from outcomes where ${IS_ANSWERED} and commands.kind = ${kind} and commands.subject = ${subject}
        and commands.state = 'pending'
      returning commands.id, commands.device_id, commands.version, commands.sent_connection, commands.rollout_id`.execute(
      database,
    );
    for (const { id, device_id, version, sent_connection, rollout_id } of updated.rows)
      changed.push({ id, device_id, kind, subject, version, sent_connection, rollout_id, ...status });
  }
  await writeResults(context, changed);
  return changed;
}

/** @returns the changed commands in the order of their outcomes */
async function changeUnlike(
  { database, dialect, now }: WriteContext,
  outcomes: readonly Outcome[],
): Promise<readonly ChangedCommand[]> {
  const changed = new Map<string, ChangedCommand>();
  for (const slice of inSlices(outcomes)) {
    const rows = slice.map((outcome) => [...valuesOf(outcome), outcome.status.progress]);
    const updated = await sql<ChangedCommand>`
      with outcomes (${OUTCOME_COLUMNS}, progress) as (${tableOf(dialect, rows)})
      update commands set state = outcomes.state, progress = outcomes.progress, error = outcomes.error, updated_at = ${now}
      from outcomes where ${IS_ANSWERED} and ${IS_OF_SUBJECT} and commands.state = 'pending'
      returning commands.id, commands.device_id, commands.kind, commands.subject, commands.version, commands.state,
        commands.progress, commands.error, commands.sent_connection, commands.rollout_id`.execute(database);
    for (const command of updated.rows) changed.set(command.id, command);
  }
  const inOrder = new Set(outcomes.map(({ commandId }) => changed.get(commandId)));
  inOrder.delete(undefined);
  const commands = [...inOrder] as ChangedCommand[];
  await writeEvents(
    database,
    dialect,
    commands.flatMap((command) => resultEvents([command], now)),
  );
  return commands;
}

/**
 * Records results of cancelled commands, which a device may have executed. The command stays cancelled, but the
 * device's app record is updated, unless the app has a newer command.
 */
async function recordLateResults(
  context: WriteContext,
  outcomes: readonly Outcome[],
  changed: readonly ChangedCommand[],
): Promise<void> {
  if (changed.length === outcomes.length) return; // as almost always
  const inTime = new Set(changed.map(({ id }) => id));
  const late = outcomes.filter(({ commandId }) => !inTime.has(commandId));
  if (late.length === 0) return;
  const { database, dialect } = context;
  const { rows } = await sql<Row<"commands">>`
    with outcomes (${OUTCOME_COLUMNS}) as (${tableOf(dialect, late.map(valuesOf))})
    select commands.device_id, commands.kind, commands.subject, commands.version, outcomes.state, outcomes.error
    from commands, outcomes where ${IS_ANSWERED} and ${IS_OF_SUBJECT} and commands.state = 'cancelled' and not exists (
      select 1 from commands as newer where newer.device_id = commands.device_id
        and newer.subject = commands.subject and newer.position > commands.position)`.execute(database);
  await recordApps(context, rows);
}

const OUTCOME_COLUMNS = sql.raw("id, device_id, connection, kind, subject, state, error");

const IS_OF_SUBJECT = sql.raw("commands.kind = outcomes.kind and commands.subject = outcomes.subject");

/** Matches the command of an outcome, if the outcome came over the device's newest connection. */
const IS_ANSWERED =
  sql.raw(`commands.id = outcomes.id and commands.device_id = outcomes.device_id and exists (
  select 1 from devices where devices.id = outcomes.device_id and devices.connection = outcomes.connection)`);

function valuesOf({ commandId, deviceId, connection, kind, subject, status }: Outcome) {
  return [commandId, deviceId, connection, kind, subject, status.state, status.error];
}
