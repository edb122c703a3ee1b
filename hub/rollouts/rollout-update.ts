/**
 * One update of a rollout, in one transaction: records the state of its devices, gets a decision from rollout-state.ts,
 * and carries it out. It first locks the rollout's row, which serializes the updates of one rollout over all processes,
 * so that no command is sent twice.
 */
import { sql, type Transaction } from "kysely";
import type { ChangedCommand } from "../commands/command-rows.js";
import type { Commands } from "../commands/commands.js";
import type { Order, StoredCommands } from "../commands/new-commands.js";
import {
  type Database,
  type Dialect,
  IS_UNDER_WAY,
  type RolloutDeviceState,
  type Row,
  type Tables,
} from "../database/schema.js";
import { dialectOf, inPieces } from "../database/transactions.js";
import { rolloutEvent } from "../webhooks/events.js";
import { recordEvents } from "../webhooks/record-events.js";
import { countsOf, plannedSteps, stepAt, storedCounts } from "./rollout-counts.js";
import { type DeviceMove, recordAllEnded, recordEnded } from "./rollout-results.js";
import { advance, type Decision, type DeviceCounts, type RolloutEvent } from "./rollout-state.js";

/** Devices that get commands in one transaction. It blocks other SQLite writers, and a pause waits for its end. */
const DEVICES_PER_UPDATE = 1000;

// Finds the rollouts that are due by counting alone: an update writes, and would block other writers every few seconds
// for each rollout that is paused or waits for results.

interface Progress extends Pick<Row<"rollouts">, "id" | "state" | "step" | "steps"> {
  /** Devices in the state `sent`. */
  readonly sent: number;
  /** Pending commands of the rollout. */
  readonly pending: number;
  /** Position of the first waiting device. */
  readonly next: number | null;
}

/**
 * @param except rollouts that need no look
 * @returns the ids of the rollouts to update
 */
export async function rolloutsDue(
  database: Database,
  except: readonly string[] = [],
): Promise<readonly string[]> {
  const others = except.length > 0 ? sql`and id not in (${sql.join(except)})` : sql.raw("");
  const { rows } = await sql<Progress>`
    select id, state, step, steps,
      (select count(*) from rollout_devices where rollout_id = rollouts.id and state = 'sent') as sent,
      (select count(*) from commands where rollout_id = rollouts.id and state = 'pending') as pending,
      (select min(position) from rollout_devices where rollout_id = rollouts.id and state = 'waiting') as next
    from rollouts where ${IS_UNDER_WAY} ${others}`.execute(database);
  return rows.filter(isDue).map(({ id }) => id);
}

/** Each device in the state `sent` has one command of the rollout: the two counts are equal until a command ends. */
function isDue({ next, pending, sent, state, step, steps }: Progress): boolean {
  if (Number(pending) !== Number(sent)) return true;
  if (Number(sent) === 0 && (state === "running" || next === null)) return true;
  return state === "running" && next !== null && next < (plannedSteps({ steps })[step]?.end ?? 0);
}

/**
 * Removes a device that its account releases from the account's rollouts. Cancels it only where it is waiting: if it
 * was sent a command, the rollout processes the end of that command.
 *
 * Call it before the transaction locks the device: updates lock their rollout first, and then devices.
 */
export async function removeFromRollouts(
  transaction: Transaction<Tables>,
  {
    accountId,
    deviceId,
    now,
  }: { readonly accountId: string; readonly deviceId: string; readonly now: number },
): Promise<void> {
  const rollouts = await lockRolloutsOf(transaction, accountId, deviceId);
  if (rollouts.length === 0) return;
  const removed = await transaction
    .updateTable("rollout_devices")
    .set({ state: "cancelled", updated_at: now })
    .where("device_id", "=", deviceId)
    .where("state", "=", "waiting")
    .where("rollout_id", "in", rollouts)
    .returning("rollout_id")
    .execute();
  if (removed.length === 0) return;
  await transaction // their stored counts are outdated
    .updateTable("rollouts")
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where(
      "id",
      "in",
      removed.map(({ rollout_id }) => rollout_id),
    )
    .execute();
}

/** @returns the ids of the account's rollouts in which the device waits, at most a hundred (docs/spec/hub-rollouts.md#rollout-limit) */
async function lockRolloutsOf(
  transaction: Transaction<Tables>,
  accountId: string,
  deviceId: string,
): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom("rollouts")
    .select("id")
    .where("account_id", "=", accountId)
    .where(IS_UNDER_WAY)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("rollout_devices")
          .select("position")
          .whereRef("rollout_id", "=", "rollouts.id")
          .where("device_id", "=", deviceId)
          .where("state", "=", "waiting"),
      ),
    )
    .orderBy("id")
    .$if(dialectOf(transaction) === "postgres", (query) => query.forNoKeyUpdate())
    .execute();
  return rows.map(({ id }) => id);
}

interface UpdateOptions {
  readonly transaction: Transaction<Tables>;
  readonly commands: Commands;
  readonly dialect: Dialect;
  readonly now: number;
}

export interface RolloutUpdate {
  readonly rollout: Row<"rollouts">;
  /** To be delivered after the commit. */
  readonly stored: StoredCommands | undefined;
  /** Whether devices wait no longer: it is to be seen at once whether there are more, or the rollout has ended. */
  readonly hasMoved: boolean;
}

/** The commands of a rollout that have ended since its last update; `"unknown"`: look at all its devices. */
export type EndedCommands = readonly ChangedCommand[] | "unknown";

/**
 * @param row as it is after {@link lockRollout}
 * @throws {Fault} `rollout_state`
 */
export async function updateRollout(
  options: UpdateOptions,
  row: Row<"rollouts">,
  event: RolloutEvent,
  ended: EndedCommands,
): Promise<RolloutUpdate> {
  const steps = plannedSteps(row);
  const counts = await countedAfter(options, row, ended);
  const decision = advance({ state: row.state, step: row.step, steps, counts }, event);
  if (decision.cancelsRest) await cancelRest(options, row.id);
  const { released, sent, stored } = await sendWaiting(options, row, steps[decision.sentSteps - 1]?.end ?? 0);
  const after = decision.cancelsRest ? counts.map(withRestCancelled) : counts.map((each) => ({ ...each }));
  moveAll(after, steps, [
    ...released.map(({ position }) => ({ position, from: "waiting", to: "cancelled" }) as const),
    ...sent.map(({ position }) => ({ position, from: "waiting", to: "sent" }) as const),
  ]);
  const rollout = await write(options, row, decision, JSON.stringify(after));
  const change = rolloutEvent(row, rollout);
  if (change) await recordEvents(options.transaction, [change], options.now);
  return { rollout, stored, hasMoved: sent.length + released.length > 0 };
}

/**
 * Records what has ended, and counts. Where the row has the counts of the update before, and the commands that have ended
 * since are known, this takes no longer for a large rollout than for a small one.
 */
async function countedAfter(
  { dialect, now, transaction }: UpdateOptions,
  row: Row<"rollouts">,
  ended: EndedCommands,
): Promise<readonly DeviceCounts[]> {
  const before = storedCounts({ ...row, revision: row.revision - 1 }); // lockRollout has raised it
  if (ended === "unknown" || !before) {
    const count = plannedSteps(row).at(-1)?.end ?? 0;
    await recordAllEnded(transaction, { rolloutId: row.id, count, now });
    return (await countsOf(transaction, [row])).get(row.id) ?? [];
  }
  const moves = await recordEnded({ database: transaction, dialect, now }, row.id, ended);
  const counts = before.map((each) => ({ ...each }));
  moveAll(counts, plannedSteps(row), moves);
  return counts;
}

function moveAll(
  counts: readonly DeviceCounts[],
  steps: ReturnType<typeof plannedSteps>,
  moves: readonly DeviceMove[],
): void {
  for (const { position, from, to } of moves) {
    const ofStep = counts[stepAt(steps, position)] as Record<RolloutDeviceState, number>;
    ofStep[from] -= 1;
    ofStep[to] += 1;
  }
}

function withRestCancelled({ waiting, sent, cancelled, ...ended }: DeviceCounts): DeviceCounts {
  return { ...ended, waiting: 0, sent: 0, cancelled: cancelled + waiting + sent };
}

/**
 * Blocks other updates of the rollout until the transaction ends.
 * @param states locks only a rollout in one of these states
 */
export async function lockRollout(
  transaction: Transaction<Tables>,
  rolloutId: string,
  states?: readonly Row<"rollouts">["state"][],
): Promise<Row<"rollouts"> | undefined> {
  return await transaction
    .updateTable("rollouts")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("id", "=", rolloutId)
    .$if(states !== undefined, (query) => query.where("state", "in", states ?? []))
    .returningAll()
    .executeTakeFirst();
}

async function write(
  { now, transaction }: UpdateOptions,
  row: Row<"rollouts">,
  { state, step, reason }: Decision,
  counts: string,
): Promise<Row<"rollouts">> {
  const isSame = state === row.state && step === row.step;
  const changed = {
    ...(!isSame && { state, step, reason, updated_at: now }),
    counts,
    counts_revision: row.revision,
  };
  await transaction.updateTable("rollouts").set(changed).where("id", "=", row.id).execute();
  return { ...row, ...changed };
}

async function cancelRest({ commands, now, transaction }: UpdateOptions, rolloutId: string): Promise<void> {
  await cancelDevices(transaction, rolloutId, now);
  await commands.cancelRollout(rolloutId, transaction);
}

/** Cancels the rollout for every device that has not ended. The caller cancels the commands. */
export async function cancelDevices(
  transaction: Transaction<Tables>,
  rolloutId: string,
  now: number,
): Promise<void> {
  await transaction
    .updateTable("rollout_devices")
    .set({ state: "cancelled", updated_at: now })
    .where("rollout_id", "=", rolloutId)
    .where("state", "in", ["waiting", "sent"])
    .execute();
}

interface Sent {
  readonly sent: readonly WaitingDevice[];
  /** Devices that the account does not hold any more. */
  readonly released: readonly WaitingDevice[];
  readonly stored: StoredCommands | undefined;
}

type WaitingDevice = Pick<Row<"rollout_devices">, "device_id" | "position">;

const NONE: Sent = Object.freeze({ sent: [], released: [], stored: undefined });

/** Sends commands to waiting devices before position `end`, at most {@link DEVICES_PER_UPDATE}. */
async function sendWaiting(
  { commands, now, transaction }: UpdateOptions,
  row: Row<"rollouts">,
  end: number,
): Promise<Sent> {
  if (end === 0) return NONE;
  const waiting = await transaction
    .selectFrom("rollout_devices")
    .select(["device_id", "position"])
    .where("rollout_id", "=", row.id)
    .where("state", "=", "waiting")
    .where("position", "<", end)
    .orderBy("position")
    .limit(DEVICES_PER_UPDATE)
    .execute();
  const last = waiting.at(-1);
  if (!last) return NONE;
  const orders = waiting.map(({ device_id }) => orderOf(row, device_id));
  const stored = await commands.store(transaction, orders, row);
  const released = new Set(stored.released);
  const ofTurn = transaction
    .updateTable("rollout_devices")
    .where("rollout_id", "=", row.id)
    .where("state", "=", "waiting");
  for (const piece of inPieces(stored.released))
    await ofTurn.set({ state: "cancelled", updated_at: now }).where("device_id", "in", piece).execute();
  await ofTurn.set({ state: "sent", updated_at: now }).where("position", "<=", last.position).execute();
  return {
    sent: waiting.filter(({ device_id }) => !released.has(device_id)),
    released: waiting.filter(({ device_id }) => released.has(device_id)),
    stored: stored.commands.length > 0 ? stored : undefined,
  };
}

/** Expires with its rollout. */
function orderOf({ expires_at, kind, subject, version }: Row<"rollouts">, deviceId: string): Order {
  const expiresAt = expires_at ?? undefined;
  return kind === "app"
    ? { deviceId, kind: "install", subject, version, expiresAt }
    : { deviceId, kind: "firmware", subject: "", version, expiresAt };
}
