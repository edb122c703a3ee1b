/**
 * Copies the ends of a rollout's commands to its devices: each device has one command of the rollout. Usually the ends are
 * known, those that this process has recorded since the rollout's last update. After a failure, or the death of another
 * process, the devices and their commands tell.
 */
import { sql } from "kysely";
import type { WriteContext } from "../commands/device-apps.js";
import type { CommandState, Database, RolloutDeviceState, Row } from "../database/schema.js";
import { inSlices, isOneOf } from "../database/transactions.js";
import { grouped } from "../grouped.js";
import { type DeviceRange, deviceRanges } from "./device-ranges.js";

/** A device of a rollout that changes its state. */
export interface DeviceMove {
  /** In rollout order, from 0. */
  readonly position: number;
  readonly from: RolloutDeviceState;
  readonly to: RolloutDeviceState;
}

function stateAfter(state: CommandState): RolloutDeviceState {
  if (state === "done") return "succeeded";
  return state === "failed" ? "failed" : "cancelled";
}

type EndedCommand = Pick<Row<"commands">, "device_id" | "state" | "error">;

/** In a form for which SQLite cannot use the index of states: it would read all devices in this state for each piece. */
const IS_SENT = sql<boolean>`case state when 'sent' then 1 else 0 end = 1`;

/** @param ended commands of the rollout that are not pending any more; those that were recorded before change nothing */
export async function recordEnded(
  { database, dialect, now }: WriteContext,
  rolloutId: string,
  ended: readonly EndedCommand[],
): Promise<readonly DeviceMove[]> {
  const moves: DeviceMove[] = [];
  for (const alike of grouped(ended, ({ state, error }) => `${state} ${error ?? ""}`)) {
    const [{ state, error }] = alike;
    const to = stateAfter(state);
    for (const piece of inSlices(alike.map(({ device_id }) => device_id))) {
      const rows = await database
        .updateTable("rollout_devices")
        .set({ state: to, error, updated_at: now })
        .where("rollout_id", "=", rolloutId)
        .where(isOneOf(dialect, "device_id", piece))
        .where(IS_SENT)
        .returning("position")
        .execute();
      for (const { position } of rows) moves.push({ position, from: "sent", to });
    }
  }
  return moves;
}

/** @param count of the rollout's devices */
export async function recordAllEnded(
  database: Database,
  { rolloutId, count, now }: { readonly rolloutId: string; readonly count: number; readonly now: number },
): Promise<void> {
  for (const range of deviceRanges(count)) await recordEndedIn(database, { rolloutId, now, ...range });
}

async function recordEndedIn(
  database: Database,
  { rolloutId, now, from, to }: DeviceRange & { readonly rolloutId: string; readonly now: number },
): Promise<void> {
  await database
    .updateTable("rollout_devices")
    .from("commands")
    .set((eb) => ({
      state: sql`case ${eb.ref("commands.state")}
        when 'done' then 'succeeded' when 'failed' then 'failed' else 'cancelled' end`,
      error: eb.ref("commands.error"),
      updated_at: now,
    }))
    .where("rollout_devices.rollout_id", "=", rolloutId)
    .where("rollout_devices.state", "=", "sent")
    .where("rollout_devices.position", ">=", from)
    .where("rollout_devices.position", "<", to)
    .whereRef("commands.rollout_id", "=", "rollout_devices.rollout_id")
    .whereRef("commands.device_id", "=", "rollout_devices.device_id")
    .where("commands.state", "<>", "pending")
    .execute();
}
