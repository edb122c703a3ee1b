/**
 * Confirms firmware commands from the version that devices report to run. For a device that never sends
 * docs/spec/hub-push.md#firmware-result, its status is the only confirmation. A device that has reported anything about
 * the command confirms it by its result alone, since it may still roll back.
 */
import { sql } from "kysely";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { retriedTransaction, tableOf } from "../database/transactions.js";
import { recordEnded } from "../webhooks/record-events.js";
import { writeResults } from "./command-results.js";
import { COMMAND_COLUMNS } from "./command-rows.js";
import { advance, INITIAL } from "./command-state.js";

export interface RunningFirmware {
  readonly deviceId: string;
  /** Number of the connection over which the device reported it. */
  readonly connection: number;
  readonly version: string;
}

/** @returns the commands that the reports have ended */
export async function confirmRunning(
  { database, dialect, now }: Pick<HubContext, "database" | "dialect" | "now">,
  running: readonly RunningFirmware[],
): Promise<readonly Row<"commands">[]> {
  if (running.length === 0) return [];
  const rows = running.map(({ deviceId, connection, version }) => [deviceId, connection, version]);
  const withReported = sql`with reported (id, connection, version) as (${tableOf(dialect, rows)})`;
  // Usually there is none; checking first avoids the write lock.
  const found =
    await sql`${withReported} select 1 from reported, commands where ${IS_CONFIRMED} limit 1`.execute(
      database,
    );
  if (found.rows.length === 0) return [];
  const { state, progress, error } = advance(INITIAL, { kind: "running" });
  return retriedTransaction(database, async (transaction) => {
    const ended = await sql<Row<"commands">>`${withReported}
      update commands set state = ${state}, progress = ${progress}, error = ${error}, updated_at = ${now()}
      from reported where ${IS_CONFIRMED}
      returning ${sql.join(COMMAND_COLUMNS.map((column) => sql.ref(column)))}`.execute(transaction);
    const at = now();
    await writeResults({ database: transaction, dialect, now: at }, ended.rows);
    await recordEnded(transaction, ended.rows, at);
    return ended.rows;
  });
}

const IS_CONFIRMED =
  sql.raw(`commands.device_id = reported.id and commands.subject = '' and commands.state = 'pending'
  and commands.kind = 'firmware' and commands.version = reported.version and commands.progress is null
  and commands.sent_connection <> 0 and exists (
    select 1 from devices where devices.id = reported.id and devices.connection = reported.connection)`);
