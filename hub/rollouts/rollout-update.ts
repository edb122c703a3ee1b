/**
 * One update of a rollout, in one transaction: records the state of its devices, gets a decision from rollout-state.ts,
 * and carries it out. It first locks the rollout's row, which serializes the updates of one rollout over all processes,
 * so that no command is sent twice.
 */
import { sql, type Transaction } from "kysely";
import type { Commands, Order } from "../commands/commands.js";
import { type Database, IS_UNDER_WAY, type Row, type Tables } from "../database/schema.js";
import { countsOf, plannedSteps } from "./rollout-counts.js";
import { advance, type Decision, type RolloutEvent } from "./rollout-state.js";

/**
 * Devices that get commands in one transaction. The transaction blocks other SQLite writers for some 50 ms, and a pause
 * takes effect between two transactions.
 */
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

/** @returns the ids of the rollouts to update */
export async function rolloutsDue(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<Progress>`
    select id, state, step, steps,
      (select count(*) from rollout_devices where rollout_id = rollouts.id and state = 'sent') as sent,
      (select count(*) from commands where rollout_id = rollouts.id and state = 'pending') as pending,
      (select min(position) from rollout_devices where rollout_id = rollouts.id and state = 'waiting') as next
    from rollouts where ${IS_UNDER_WAY}`.execute(database);
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
 */
export async function removeFromRollouts(
  transaction: Transaction<Tables>,
  {
    accountId,
    deviceId,
    now,
  }: { readonly accountId: string; readonly deviceId: string; readonly now: number },
): Promise<void> {
  await transaction
    .updateTable("rollout_devices")
    .set({ state: "cancelled", updated_at: now })
    .where("device_id", "=", deviceId)
    .where("state", "=", "waiting")
    .where("rollout_id", "in", ({ selectFrom }) =>
      selectFrom("rollouts").select("rollouts.id").where("account_id", "=", accountId).where(IS_UNDER_WAY),
    )
    .execute();
}

interface UpdateOptions {
  readonly transaction: Transaction<Tables>;
  readonly commands: Commands;
  readonly now: number;
}

export interface RolloutUpdate {
  readonly rollout: Row<"rollouts">;
  /** Devices that got commands, to be notified after the commit. */
  readonly sentTo: readonly string[];
}

/**
 * @param row as it is after {@link lockRollout}
 * @throws {Fault} `rollout_state`
 */
export async function updateRollout(
  options: UpdateOptions,
  row: Row<"rollouts">,
  event: RolloutEvent,
): Promise<RolloutUpdate> {
  await cancelReleased(options, row);
  await recordResults(options, row.id);
  const steps = plannedSteps(row);
  const counts = await countsOf(options.transaction, row);
  const decision = advance({ state: row.state, step: row.step, steps, counts }, event);
  const rollout = await write(options, row, decision);
  if (decision.cancelsRest) await cancelRest(options, row.id);
  const sentTo = await sendWaiting(options, row, steps[decision.sentSteps - 1]?.end ?? 0);
  return { rollout, sentTo };
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

/** Cancels the rollout for devices that the account no longer holds. */
async function cancelReleased(options: UpdateOptions, { id, account_id }: Row<"rollouts">): Promise<void> {
  const { commands, now, transaction } = options;
  const gone = await transaction
    .updateTable("rollout_devices")
    .set({ state: "cancelled", updated_at: now })
    .where("rollout_id", "=", id)
    .where("state", "in", ["waiting", "sent"])
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("devices")
            .select("devices.id")
            .whereRef("devices.id", "=", "rollout_devices.device_id")
            .where("devices.account_id", "=", account_id),
        ),
      ),
    )
    .returning("device_id")
    .execute();
  const deviceIds = gone.map(({ device_id }) => device_id);
  if (deviceIds.length > 0) await commands.cancelRollout(id, transaction, deviceIds);
}

/** Copies the results of commands to their devices: each device has one command of the rollout. */
async function recordResults({ now, transaction }: UpdateOptions, rolloutId: string): Promise<void> {
  await transaction
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
    .whereRef("commands.rollout_id", "=", "rollout_devices.rollout_id")
    .whereRef("commands.device_id", "=", "rollout_devices.device_id")
    .where("commands.state", "<>", "pending")
    .execute();
}

async function write(
  { now, transaction }: UpdateOptions,
  row: Row<"rollouts">,
  { state, step, reason }: Decision,
): Promise<Row<"rollouts">> {
  if (state === row.state && step === row.step) return row;
  const changed = { state, step, reason, updated_at: now };
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

/** Sends commands to waiting devices before position `end`. @returns the devices, at most {@link DEVICES_PER_UPDATE} */
async function sendWaiting(
  { commands, now, transaction }: UpdateOptions,
  row: Row<"rollouts">,
  end: number,
): Promise<readonly string[]> {
  if (end === 0) return [];
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
  if (!last) return [];
  await transaction
    .updateTable("rollout_devices")
    .set({ state: "sent", updated_at: now })
    .where("rollout_id", "=", row.id)
    .where("state", "=", "waiting")
    .where("position", "<=", last.position)
    .execute();
  const deviceIds = waiting.map(({ device_id }) => device_id);
  await commands.enqueue(
    deviceIds.map((deviceId) => orderOf(row, deviceId)),
    row.id,
    transaction,
  );
  return deviceIds;
}

/** Expires with its rollout. */
function orderOf({ expires_at, kind, subject, version }: Row<"rollouts">, deviceId: string): Order {
  const expiresAt = expires_at ?? undefined;
  return kind === "app"
    ? { deviceId, kind: "install", subject, version, expiresAt }
    : { deviceId, kind: "firmware", subject: "", version, expiresAt };
}
