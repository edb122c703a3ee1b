/** Events from what has happened, and their bodies, which are those of Standard Webhooks: `type`, `timestamp` and `data`. */

import { EVENT_TYPES, type EventType } from "../../protocol/hub/answers/webhooks.js";
import { isoTime } from "../api/answers.js";
import type { ChangedCommand } from "../commands/command-rows.js";
import type { Row } from "../database/schema.js";
import type { TEST_EVENT } from "./event-types.js";

export interface HubEvent {
  readonly accountId: string;
  readonly type: EventType;
  readonly data: Readonly<Record<string, string | number>>;
}

/** @param at milliseconds since 1970 */
export function eventBody(type: EventType | typeof TEST_EVENT, at: number, data: HubEvent["data"]): string {
  return JSON.stringify({ type, timestamp: isoTime(at), data });
}

/** Without types that this version does not know. */
export function readEvents(stored: string): readonly EventType[] {
  const names = stored.split(",");
  return EVENT_TYPES.filter((type) => names.includes(type));
}

/** As the database stores them: without duplicates, in the order of the table. */
export function writeEvents(types: readonly EventType[]): string {
  return EVENT_TYPES.filter((type) => types.includes(type)).join(",");
}

/** @returns `undefined` for an end that is no event: the account itself has replaced or cancelled the command */
export function commandEvent({
  state,
  error,
}: Pick<Row<"commands">, "state" | "error">): EventType | undefined {
  if (state === "done") return "command.succeeded";
  if (state === "failed") return "command.failed";
  return state === "cancelled" && error === "command_expired" ? "command.expired" : undefined;
}

export function commandData(command: ChangedCommand): HubEvent["data"] {
  const { device_id, id, kind, subject, version, error, rollout_id } = command;
  return {
    device_id,
    command_id: id,
    kind,
    ...(subject !== "" && { app_id: subject }),
    ...(version !== "" && { version }),
    ...(error !== null && { error }),
    ...(rollout_id !== null && { rollout_id }),
  };
}

/** @returns `undefined` for a change that is no event */
export function rolloutEvent(
  before: Pick<Row<"rollouts">, "state" | "step">,
  after: Row<"rollouts">,
): HubEvent | undefined {
  const isEnd = before.state !== after.state && (after.state === "completed" || after.state === "stopped");
  if (!isEnd && before.step === after.step) return undefined;
  const { account_id: accountId, id, kind, subject, version, step, reason } = after;
  return {
    accountId,
    type: isEnd ? `rollout.${after.state as "completed" | "stopped"}` : "rollout.step",
    data: {
      rollout_id: id,
      kind,
      ...(kind === "app" ? { app_id: subject } : { arch: subject }),
      version,
      step: step + 1,
      ...(reason !== null && { reason }),
    },
  };
}

export function deviceEvent(
  accountId: string,
  type: "device.claimed" | "device.released",
  { id, name }: Pick<Row<"devices">, "id" | "name">,
): HubEvent {
  return { accountId, type, data: { device_id: id, name } };
}
