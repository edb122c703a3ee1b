/** Progress of a rollout: its steps as its row stores them, and its device counts by step and state. */
import { type SqlBool, sql } from "kysely";
import type { Database, Row } from "../database/schema.js";
import type { DeviceCounts, RolloutStep } from "./rollout-state.js";

/** A step whose devices are chosen. */
export interface PlannedStep extends RolloutStep {
  /** The position after its last device. Its first one is where the step before it ends. */
  readonly end: number;
}

export const NO_DEVICES: DeviceCounts = Object.freeze({
  waiting: 0,
  sent: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
});

export function plannedSteps({ steps }: Pick<Row<"rollouts">, "steps">): readonly PlannedStep[] {
  return JSON.parse(steps) as readonly PlannedStep[];
}

/** The step, from 0, that a position belongs to. */
export function stepAt(steps: readonly PlannedStep[], position: number): number {
  return steps.findIndex(({ end }) => position < end);
}

/** One for each step. */
export async function countsOf(
  database: Database,
  { id, steps }: Pick<Row<"rollouts">, "id" | "steps">,
): Promise<readonly DeviceCounts[]> {
  const planned = plannedSteps({ steps });
  const rows = await database
    .selectFrom("rollout_devices")
    .select((eb) => ["state", stepExpression(planned).as("step"), eb.fn.countAll<number>().as("devices")])
    .where("rollout_id", "=", id)
    .groupBy(["state", "step"])
    .execute();
  const counts = planned.map(() => ({ ...NO_DEVICES }));
  for (const { state, step, devices } of rows) {
    const ofStep = counts[Number(step)];
    if (ofStep) ofStep[state] = Number(devices);
  }
  return counts;
}

/** All steps in one. */
export function sumOf(counts: readonly DeviceCounts[]): DeviceCounts {
  const sum = { ...NO_DEVICES };
  for (const each of counts)
    for (const state of Object.keys(sum) as (keyof DeviceCounts)[]) sum[state] += each[state];
  return sum;
}

export function deviceTotal(counts: DeviceCounts): number {
  return Object.values(counts).reduce((sum, devices) => sum + devices, 0);
}

/** Numbers of our own, written out: a parameter would have no type in PostgreSQL, and be another one in each place. */
function stepExpression(steps: readonly PlannedStep[]) {
  const cases = steps.map(({ end }, at) => sql<SqlBool>`when position < ${sql.lit(end)} then ${sql.lit(at)}`);
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
}
