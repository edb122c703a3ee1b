/**
 * Progress of a rollout: its steps as its row stores them, and its device counts by step and state. Each update of a
 * rollout stores the counts in its row, so that neither lists nor the next update need to count the devices. Whatever
 * changes a device's state raises the row's revision, of which the counts are.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Rollout, RolloutDevice } from "../../protocol/hub/answers/rollouts.js";
import { isoTime } from "../api/answers.js";
import type { Database, RolloutDeviceState, Row } from "../database/schema.js";
import { type DeviceRange, deviceRanges, inStatements } from "./device-ranges.js";
import { type DeviceCounts, isOver, type RolloutStep } from "./rollout-state.js";

/** Rollouts as the API shows them, in the same order. Counts the devices of those whose stored counts are outdated. */
export async function rolloutAnswers(
  database: Database,
  rows: readonly Row<"rollouts">[],
): Promise<readonly Rollout[]> {
  const outdated = rows.filter((row) => storedCounts(row) === undefined);
  const counted = await countsOf(database, outdated);
  return rows.map((row) => rolloutAnswer(row, storedCounts(row) ?? counted.get(row.id) ?? []));
}

/** @returns `undefined` if the row has none of its revision */
export function storedCounts({
  counts,
  counts_revision,
  revision,
}: Pick<Row<"rollouts">, "counts" | "counts_revision" | "revision">): readonly DeviceCounts[] | undefined {
  if (counts === null || counts_revision !== revision) return undefined;
  return JSON.parse(counts) as readonly DeviceCounts[];
}

function rolloutAnswer(row: Row<"rollouts">, counts: readonly DeviceCounts[]): Rollout {
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
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    ...(!isOver(row.state) && row.expires_at !== null && { expires_at: isoTime(row.expires_at) }),
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
): RolloutDevice {
  return {
    device_id,
    step: stepAt(steps, position) + 1,
    state,
    ...(error !== null && { error }),
    updated_at: isoTime(updated_at),
  };
}

/** A step with its devices. */
interface PlannedStep extends RolloutStep {
  /** The position after its last device. The step begins where the previous one ends. */
  readonly end: number;
}

const NO_DEVICES: DeviceCounts = Object.freeze({
  waiting: 0,
  sent: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
});

const STATES = Object.keys(NO_DEVICES) as readonly RolloutDeviceState[];

export function plannedSteps({ steps }: Pick<Row<"rollouts">, "steps">): readonly PlannedStep[] {
  return JSON.parse(steps) as readonly PlannedStep[];
}

/** The counts of a rollout of which nothing was sent yet. */
export function countsAtFirst(steps: readonly PlannedStep[]): readonly DeviceCounts[] {
  return steps.map(({ end }, at) => ({ ...NO_DEVICES, waiting: end - (steps[at - 1]?.end ?? 0) }));
}

/** The step of a position, from 0. */
export function stepAt(steps: readonly PlannedStep[], position: number): number {
  return steps.findIndex(({ end }) => position < end);
}

/** Counts the devices of each step, in as few statements as deviceRanges allows. @returns counts by the rollouts' ids */
export async function countsOf(
  database: Database,
  rollouts: readonly Pick<Row<"rollouts">, "id" | "steps">[],
): Promise<ReadonlyMap<string, readonly DeviceCounts[]>> {
  const planned = rollouts.map((rollout) => ({ id: rollout.id, steps: plannedSteps(rollout) }));
  const counts = new Map(planned.map(({ id, steps }) => [id, steps.map(() => ({ ...NO_DEVICES }))]));
  const ranges = planned.flatMap(({ id, steps }) =>
    [...deviceRanges(steps.at(-1)?.end ?? 0)].map((range) => ({ id, steps, ...range })),
  );
  for (const group of inStatements(ranges)) {
    const counting = sql.join(group.map(countingOf), sql` union all `);
    const { rows } = await sql<CountedDevices>`${counting}`.execute(database);
    for (const { rollout_id, state, step, devices } of rows) {
      const ofStep = counts.get(rollout_id)?.[Number(step)];
      if (ofStep) ofStep[state] += Number(devices);
    }
  }
  return counts;
}

interface RolloutRange extends DeviceRange {
  readonly id: string;
  readonly steps: readonly PlannedStep[];
}

/** With all the states, so that it reads this range of the index by state and position. */
function countingOf({ id, steps, from, to }: RolloutRange): RawBuilder<unknown> {
  return sql`
    select rollout_id, state, ${stepExpression(steps)} as step, count(*) as devices
    from rollout_devices
    where rollout_id = ${id} and state in (${sql.join(STATES)}) and position >= ${sql.lit(from)} and position < ${sql.lit(to)}
    group by rollout_id, state, step`;
}

interface CountedDevices {
  readonly rollout_id: string;
  readonly state: RolloutDeviceState;
  readonly step: number;
  readonly devices: number;
}

/** @returns how many devices have a command without a result, as of the stored counts; `undefined` without such */
export function sentIn(rollout: Parameters<typeof storedCounts>[0]): number | undefined {
  const counts = storedCounts(rollout);
  return counts && sumOf(counts).sent;
}

/** Adds the counts of all steps. */
function sumOf(counts: readonly DeviceCounts[]): DeviceCounts {
  const sum = { ...NO_DEVICES };
  for (const each of counts)
    for (const state of Object.keys(sum) as (keyof DeviceCounts)[]) sum[state] += each[state];
  return sum;
}

function deviceTotal(counts: DeviceCounts): number {
  return Object.values(counts).reduce((sum, devices) => sum + devices, 0);
}

/** Uses literals, which are safe for our own numbers: parameters would have no type in PostgreSQL. */
function stepExpression(steps: readonly PlannedStep[]) {
  const cases = steps.map(({ end }, at) => sql<SqlBool>`when position < ${sql.lit(end)} then ${sql.lit(at)}`);
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
}
