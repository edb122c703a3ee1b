/**
 * Finds the rollouts that have something to do, by counting alone: a turn writes, and would block other writers every
 * few seconds for each rollout that is paused or waits for results.
 */
import { sql } from "kysely";
import type { Database, Row } from "../database/schema.js";
import { plannedSteps } from "./rollout-counts.js";

/** Must equal the condition of the index, word for word: otherwise SQLite does not use the index. */
export const IS_UNDER_WAY = sql<boolean>`state in ('running', 'paused')`;

interface Progress extends Pick<Row<"rollouts">, "id" | "state" | "step" | "steps"> {
  /** Devices that were sent it and have not ended, as far as its turns have seen. */
  readonly sent: number;
  /** Commands of it that have no result. */
  readonly pending: number;
  /** Position of the first device that waits. */
  readonly next: number | null;
}

/** @returns their ids */
export async function rolloutsDue(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<Progress>`
    select id, state, step, steps,
      (select count(*) from rollout_devices where rollout_id = rollouts.id and state = 'sent') as sent,
      (select count(*) from commands where rollout_id = rollouts.id and state = 'pending') as pending,
      (select min(position) from rollout_devices where rollout_id = rollouts.id and state = 'waiting') as next
    from rollouts where ${IS_UNDER_WAY}`.execute(database);
  return rows.filter(isDue).map(({ id }) => id);
}

/** Each device that was sent it has one command of it, so that the two are as many until a command ends. */
function isDue({ next, pending, sent, state, step, steps }: Progress): boolean {
  if (Number(pending) !== Number(sent)) return true;
  if (Number(sent) === 0 && (state === "running" || next === null)) return true;
  return state === "running" && next !== null && next < (plannedSteps({ steps })[step]?.end ?? 0);
}
