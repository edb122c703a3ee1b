/**
 * Progress of the firmware that the hub has ordered (`FirmwareProgress`), as far as one console can tell from its own
 * updates, whatever client caused them. Nothing here has an effect: `FirmwareOrders` acts.
 *
 *                 fetched, or brought        restart                  confirm
 *     available --------------------> staged ------> pending_confirm ---------> confirmed
 *       |    ^                          |  \               |
 *       |    `--------------------------'   `--------------'----> rolled_back
 *       |         other firmware comes           next start
 *       `--> rejected
 *
 * The three final states are kept until other firmware is ordered, for a hub that asks again. Firmware that is already
 * running, and confirmed, is `confirmed` whatever the state was before.
 */
import type { LastResult, OtaStatus } from "../../../protocol/device/answers.js";
import type { FirmwareProgress } from "../../../protocol/hub/push-messages.js";

export interface FirmwareOrder {
  /** `""` from hubs that give none. */
  readonly commandId: string;
  readonly version: string;
  readonly downloadUrl: string;
  /** Of a trusted hub over the address, where it came with one. */
  readonly downloadUrlSignature?: string;
  /** Of the bundle, in hexadecimal. */
  readonly signature: string;
  readonly state: FirmwareProgress;
  /** Why it was rejected or rolled back. */
  readonly error: string | null;
}

const ENDS: readonly FirmwareProgress[] = Object.freeze([
  "confirmed",
  "rolled_back",
  "rejected",
] satisfies FirmwareProgress[]);

export function isOver({ state }: FirmwareOrder): boolean {
  return ENDS.includes(state);
}

/** Whether it is one order that came twice. */
export function isSameOrder(one: FirmwareOrder, other: FirmwareOrder): boolean {
  return (
    one.commandId === other.commandId &&
    one.version === other.version &&
    (one.commandId !== "" || one.signature === other.signature)
  );
}

/** What the console says of its updates now. */
export type UpdateFacts = Pick<OtaStatus, "state" | "staged_version" | "running_version" | "last_result">;

/** At any time but a start. @returns `order` itself where nothing has changed */
export function followed(order: FirmwareOrder, facts: UpdateFacts): FirmwareOrder {
  if (isOver(order)) return order;
  return withState(order, progressOf(order, facts));
}

/** At a start, which is when it is known how a trial has ended. */
export function resumed(order: FirmwareOrder, facts: UpdateFacts): FirmwareOrder {
  const wasTried = order.state === "staged" || order.state === "pending_confirm";
  const { last_result: last } = facts;
  if (wasTried && last && isRollbackOf(order, last) && progressOf(order, facts) === "available")
    return { ...order, state: "rolled_back", error: last.error ?? null };
  return followed(order, facts);
}

/** The bundle was refused, or never was what it was said to be. */
export function rejected(order: FirmwareOrder, error: string): FirmwareOrder {
  return isOver(order) ? order : { ...order, state: "rejected", error };
}

function progressOf({ version }: FirmwareOrder, facts: UpdateFacts): FirmwareProgress {
  const { state, staged_version: staged, running_version: running } = facts;
  if (running === version) return state === "pending_confirm" ? "pending_confirm" : "confirmed";
  return staged === version ? "staged" : "available";
}

function withState(order: FirmwareOrder, state: FirmwareProgress): FirmwareOrder {
  return state === order.state ? order : { ...order, state };
}

/** A damaged image has no version to tell. */
function isRollbackOf({ version }: FirmwareOrder, last: LastResult): boolean {
  return last.result === "rolled_back" && (last.version ?? version) === version;
}
