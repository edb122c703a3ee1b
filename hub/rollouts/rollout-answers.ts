/** Rollouts and their devices as the API shows them to accounts. */
import type { Database, Row } from "../database/schema.js";
import { countsOf, deviceTotal, type PlannedStep, plannedSteps, stepAt, sumOf } from "./rollout-counts.js";
import type { RolloutAnswer, RolloutDeviceAnswer } from "./rollout-schemas.js";
import type { DeviceCounts } from "./rollout-state.js";

export async function rolloutAnswer(database: Database, row: Row<"rollouts">): Promise<RolloutAnswer> {
  const counts = await countsOf(database, row);
  return {
    rollout_id: row.id,
    kind: row.kind,
    ...(row.kind === "app" ? { app_id: row.subject } : { arch: row.subject }),
    version: row.version,
    state: row.state,
    ...(row.reason !== null && { reason: row.reason }),
    step: row.step + 1,
    steps: plannedSteps(row).map((step, at) => stepAnswer(step, at, counts[at] as DeviceCounts)),
    total: withTotal(sumOf(counts)),
    created_at: timeOf(row.created_at),
    updated_at: timeOf(row.updated_at),
  };
}

function stepAnswer(
  { percent, success_percent, error_percent }: PlannedStep,
  at: number,
  counts: DeviceCounts,
) {
  return { step: at + 1, percent, success_percent, error_percent, ...withTotal(counts) };
}

function withTotal(counts: DeviceCounts) {
  return { devices: deviceTotal(counts), ...counts };
}

export function rolloutDeviceAnswer(
  steps: readonly PlannedStep[],
  { device_id, error, position, state, updated_at }: Row<"rollout_devices">,
): RolloutDeviceAnswer {
  return {
    device_id,
    step: stepAt(steps, position) + 1,
    state,
    ...(error !== null && { error }),
    updated_at: timeOf(updated_at),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
