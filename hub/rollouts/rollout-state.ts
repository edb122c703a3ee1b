/**
 * State machine of a rollout: its next state, and which devices to send its commands to. Pure: no database access.
 *
 * ```
 *                    ┌─ pause ──> paused ─┐
 *                    │               │    │
 *   ──> running <────┼── resume ─────┘    │
 *          │         │                    │
 *          ├─────────┴────────────────────┤
 *          ├── cancel ────────────────────┼──> cancelled
 *          ├── too many have failed, or ──┼──> stopped
 *          │   too few have succeeded, or │
 *          │   its time is over           │
 *          └── every device has ended ────┴──> completed
 * ```
 *
 * A running rollout continues to its next step by itself. The three states on the right are final. In them no device is
 * waiting or in progress: each one has either succeeded, failed, or been cancelled.
 *
 * Percentages are of the participating devices: a device that was cancelled, because its account released it or sent it
 * another command, does not count. Percentages are compared in integers, so that 90 of 100 are 90 %.
 */
import { Fault } from "../../protocol/fault.js";
import type { Catalog } from "../catalog/catalog.js";
import type { RolloutDeviceState, RolloutState, Row } from "../database/schema.js";
import type { Firmwares } from "../firmware/firmwares.js";
import type { RolloutRequest } from "./rollout-schemas.js";

interface Sources {
  readonly catalog: Catalog;
  readonly firmwares: Firmwares;
}

/** The app or firmware version that a rollout installs. */
export type Payload = Pick<Row<"rollouts">, "kind" | "subject" | "version">;

/**
 * @throws {Fault} `missing_parameter`, `bad_parameter`, `app_not_found`, `app_retracted`, `version_not_found`,
 *   `firmware_not_found`
 */
export async function payloadOf({ catalog, firmwares }: Sources, request: RolloutRequest): Promise<Payload> {
  const { app_id, arch, kind, version } = request;
  if (kind === "app") {
    const found = await catalog.requireVersion(required("app_id", app_id, kind), version);
    return { kind, subject: found.app_id, version: found.version };
  }
  const found = await firmwares.require(required("arch", arch, kind), version);
  return { kind, subject: found.arch, version: found.version };
}

/**
 * By default, one step of all devices that never stops.
 * @throws {Fault} `bad_parameter`
 */
export function stepsOf({ steps }: RolloutRequest): readonly RolloutStep[] {
  const filled = (steps ?? [{ percent: 100 }]).map(
    ({ percent, success_percent = 100, error_percent = 100 }) => ({
      percent,
      success_percent,
      error_percent,
    }),
  );
  if (filled.some(({ percent }, at) => percent <= (filled[at - 1]?.percent ?? 0)))
    throw new Fault("bad_parameter", 'Cannot plan "steps": "percent" must increase from step to step');
  if (filled.at(-1)?.percent !== 100)
    throw new Fault("bad_parameter", 'Cannot plan "steps": "percent" of the last one must be 100');
  return filled;
}

function required(name: string, value: string | undefined, kind: string): string {
  if (value !== undefined) return value;
  throw new Fault("missing_parameter", `"${name}" is missing: the rollout is one of ${kind}`);
}

export interface RolloutStep {
  /** Share of all devices that this and the previous steps cover: a whole number, increasing, 100 in the last step. */
  readonly percent: number;
  /** The share of the step's devices that must have succeeded before the next step begins. */
  readonly success_percent: number;
  /** The share of failed devices of the step beyond which the rollout stops; 100 is never. */
  readonly error_percent: number;
}

/** Devices of a step by their state. */
export type DeviceCounts = Readonly<Record<RolloutDeviceState, number>>;

export interface Rollout {
  readonly state: RolloutState;
  /** The step that began last, from 0. */
  readonly step: number;
  readonly steps: readonly RolloutStep[];
  /** One for each step. */
  readonly counts: readonly DeviceCounts[];
}

/** `refresh` follows any change of the counts, and is repeated periodically. */
export type RolloutEvent = "refresh" | "expire" | RolloutRequestEvent;

/** What an account may request. */
export type RolloutRequestEvent = "pause" | "resume" | "cancel";

export interface Decision {
  readonly state: RolloutState;
  readonly step: number;
  /** Why the hub stops the rollout; `null` if it does not. */
  readonly reason: string | null;
  /** Send commands to the waiting devices of this many first steps; 0 for none. */
  readonly sentSteps: number;
  /** Cancel all devices that have not ended. */
  readonly cancelsRest: boolean;
}

const EXPIRED = "the rollout has not ended in its time";

export function isOver(state: RolloutState): boolean {
  return state !== "running" && state !== "paused";
}

/** @throws {Fault} `rollout_state` for a request that the rollout's state no longer allows */
export function advance(rollout: Rollout, event: RolloutEvent): Decision {
  const { state } = rollout;
  switch (event) {
    case "refresh":
      return isOver(state) ? stay(rollout, state) : check(rollout, state);
    case "expire":
      if (isOver(state)) return stay(rollout, state);
      return { ...stay(rollout, "stopped"), reason: EXPIRED, cancelsRest: true };
    case "pause":
      if (state !== "running") throw wrongState("pause", state);
      return check(rollout, "paused");
    case "resume":
      if (state !== "paused") throw wrongState("resume", state);
      return check(rollout, "running");
    case "cancel":
      if (isOver(state)) throw wrongState("cancel", state);
      return { ...stay(rollout, "cancelled"), cancelsRest: true };
    default:
      return event satisfies never;
  }
}

/** @param state running or paused, after the event */
function check(rollout: Rollout, state: RolloutState): Decision {
  const reason = reasonToStop(rollout);
  if (reason !== undefined) return { ...stay(rollout, "stopped"), reason, cancelsRest: true };
  if (rollout.counts.every(hasEnded)) return stay(rollout, "completed");
  if (state === "paused") return stay(rollout, "paused");
  const step = stepOf(rollout);
  return { ...stay(rollout, "running"), step, sentSteps: step + 1 };
}

function stay({ step }: Rollout, state: RolloutState): Decision {
  return { state, step, reason: null, sentSteps: 0, cancelsRest: false };
}

/** The step to be in progress. Steps without devices are skipped. */
function stepOf({ step, steps, counts }: Rollout): number {
  let at = step;
  while (at < steps.length - 1 && isStepDone(steps[at] as RolloutStep, counts[at] as DeviceCounts)) at++;
  return at;
}

function isStepDone({ success_percent }: RolloutStep, counts: DeviceCounts): boolean {
  return counts.waiting === 0 && counts.succeeded * 100 >= success_percent * participants(counts);
}

/** Failures count for their own step, even if they arrive during a later one. */
function reasonToStop({ step, steps, counts }: Rollout): string | undefined {
  for (let at = 0; at <= step; at++) {
    const { error_percent, success_percent } = steps[at] as RolloutStep;
    const ofStep = counts[at] as DeviceCounts;
    const { failed, succeeded } = ofStep;
    const all = participants(ofStep);
    if (failed * 100 > error_percent * all)
      return `${failed} of ${all} devices of step ${at + 1} have failed, which is more than ${error_percent} %`;
    const isHeldBack = at === step && at < steps.length - 1 && hasEnded(ofStep);
    if (isHeldBack && succeeded * 100 < success_percent * all)
      return `${succeeded} of ${all} devices of step ${at + 1} have succeeded, which is less than ${success_percent} %`;
  }
  return undefined;
}

function participants({ waiting, sent, succeeded, failed }: DeviceCounts): number {
  return waiting + sent + succeeded + failed;
}

function hasEnded({ waiting, sent }: DeviceCounts): boolean {
  return waiting === 0 && sent === 0;
}

/**
 * The end of each step in rollout order: the position after its last device. A step has at least one device while there
 * are any left.
 */
export function stepEnds(steps: readonly RolloutStep[], devices: number): readonly number[] {
  return steps.map(({ percent }) => Math.ceil((percent * devices) / 100));
}

function wrongState(what: string, state: RolloutState): Fault {
  return new Fault("rollout_state", `Cannot ${what} the rollout: it is ${state}`);
}
