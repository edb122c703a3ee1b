/**
 * Rollouts: send one version to many consoles, step by step, and stop if too many fail.
 *
 * Any process may update any rollout (rollout-update.ts). The process that received results updates soon after.
 * Every process also polls every few seconds for rollouts that are due (rollout-update.ts), so that the death of a
 * process stops none.
 */
import { randomUUID } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Catalog } from "../catalog/catalog.js";
import type { ChangedCommand } from "../commands/command-rows.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import { IS_UNDER_WAY, type Row, type Tables } from "../database/schema.js";
import { inSlices, lockAccount, number, retriedTransaction, tableOf } from "../database/transactions.js";
import type { Devices } from "../devices/devices.js";
import type { Firmwares } from "../firmware/firmwares.js";
import type { Groups } from "../fleet/groups.js";
import { RecentMap } from "../recent-map.js";
import { selectDevices } from "./device-selection.js";
import { countsAtFirst, plannedSteps, sentIn } from "./rollout-counts.js";
import type { RolloutRequest } from "./rollout-schemas.js";
import {
  type Payload,
  payloadOf,
  type RolloutEvent,
  type RolloutRequestEvent,
  stepEnds,
  stepsOf,
} from "./rollout-state.js";
import {
  type EndedCommands,
  lockRollout,
  type RolloutUpdate,
  rolloutsDue,
  updateRollout,
} from "./rollout-update.js";

/** Results arrive in bursts: results within this time are processed together. */
const BATCH_DELAY_MS = 20;

/** Longest delay of a rollout at rest whose results arrived at a process that then ended. */
const POLL_INTERVAL_MS = 3000;

/** The same for a rollout that this process keeps moving: a look at all its devices takes long. */
const FULL_LOOK_INTERVAL_MS = 30_000;

/**
 * Rollouts in progress per account: every process counts each of them at each poll
 * (docs/spec/hub-rollouts.md#rollout-limit).
 */
const ROLLOUTS_LIMIT = 100;

/** Rollouts of which this process knows how many results it awaits. Of one that ends elsewhere it is not told. */
const AWAITED_LIMIT = 1000;

export interface RolloutsOptions extends HubContext {
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly devices: Devices;
  readonly firmwares: Firmwares;
  readonly groups: Groups;
}

const UNDER_WAY: readonly Row<"rollouts">["state"][] = Object.freeze(["running", "paused"]);

export class Rollouts {
  readonly #options: RolloutsOptions;
  /** Rollouts to update, with what has ended of them. */
  readonly #due = new Map<string, EndedCommands>();
  /** Rollouts that this process has moved since the last poll, and when it last looked at all devices of each. */
  #moving = new Set<string>();
  readonly #lookedAt = new Map<string, number>();
  /** Rollouts that are being created or updated. */
  readonly #updating = new Set<string>();
  /** Commands of a rollout that had no result at its last update by this process. */
  readonly #awaited = new RecentMap<string, number>(AWAITED_LIMIT);
  #endGathering: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  /** Resolves when no rollout is due. */
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  /** Starts polling, and continues the rollouts that other or previous processes have left. */
  start(): void {
    this.#options.commands.onEnded((commands) => {
      for (const [rolloutId, ended] of byRollout(commands)) this.#schedule(rolloutId, ended);
    });
    this.#timer = setInterval(() => void this.poll(), POLL_INTERVAL_MS);
    void this.poll();
  }

  /** Finds the rollouts that are due, and schedules their updates. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  /** Waits for the update in progress. May be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([this.#polling, this.#work]);
  }

  /**
   * Creates a rollout, and sends the commands of its first step.
   * @throws {Fault} `too_many_rollouts`; what {@link payloadOf}, {@link stepsOf} and {@link selectDevices} throw
   */
  async create(accountId: string, request: RolloutRequest): Promise<Row<"rollouts">> {
    const steps = stepsOf(request);
    const payload = await payloadOf(this.#options, request);
    const rolloutId = randomUUID();
    const deviceIds = await selectDevices(this.#options, {
      rolloutId,
      accountId,
      payload,
      steps,
      filter: request.devices,
    });
    const ends = stepEnds(steps, deviceIds.length);
    const planned = JSON.stringify(steps.map((step, at) => ({ ...step, end: ends[at] })));
    const row = this.#newRow(rolloutId, accountId, payload, planned, request.expires_in_s);
    this.#updating.add(rolloutId);
    try {
      await this.#insert(row, deviceIds);
      await this.#refresh(rolloutId, []);
    } finally {
      this.#updating.delete(rolloutId);
    }
    return this.require(accountId, rolloutId);
  }

  /** @throws {Fault} `rollout_not_found`, also for a rollout of another account */
  async require(accountId: string, rolloutId: string): Promise<Row<"rollouts">> {
    const row = await this.#options.database
      .selectFrom("rollouts")
      .selectAll()
      .where("id", "=", rolloutId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    if (!row) throw new Fault("rollout_not_found", `The account has no rollout "${rolloutId}"`);
    return row;
  }

  /**
   * Applies a change that the account requests.
   * @throws {Fault} `rollout_not_found`; `rollout_state` if the state does not allow it
   */
  async change(accountId: string, rolloutId: string, event: RolloutRequestEvent): Promise<Row<"rollouts">> {
    const row = await this.require(accountId, rolloutId);
    return (await this.#update(rolloutId, event)) ?? row;
  }

  #newRow(
    id: string,
    accountId: string,
    payload: Payload,
    steps: string,
    expiresInS: number | undefined,
  ): Row<"rollouts"> {
    const { config } = this.#options;
    const now = this.#options.now();
    const expires_at = now + (expiresInS === undefined ? config.expireMs : expiresInS * 1000);
    return {
      id,
      account_id: accountId,
      ...payload,
      steps,
      step: 0,
      state: "running",
      reason: null,
      revision: 0,
      counts: JSON.stringify(countsAtFirst(plannedSteps({ steps }))),
      counts_revision: 0,
      created_at: now,
      updated_at: now,
      expires_at,
    };
  }

  /** Stops rollouts whose time is over. */
  async expire(): Promise<void> {
    const { config, database, now } = this.#options;
    const over = await database
      .selectFrom("rollouts")
      .select("id")
      .where(IS_UNDER_WAY)
      .where((row) =>
        row.or([
          row("expires_at", "<=", now()),
          row.and([row("expires_at", "is", null), row("created_at", "<=", now() - config.expireMs)]),
        ]),
      )
      .execute();
    for (const { id } of over) await this.#update(id, "expire");
  }

  async #insert(row: Row<"rollouts">, deviceIds: readonly string[]): Promise<void> {
    const { database, dialect } = this.#options;
    await retriedTransaction(database, async (transaction) => {
      await this.#requireBelowLimit(transaction, row.account_id);
      await transaction.insertInto("rollouts").values(row).execute();
      let position = 0;
      for (const piece of inSlices(deviceIds)) {
        const rows = piece.map((device_id) => [device_id, position++]);
        await sql`
          with chosen (device_id, position) as (${tableOf(dialect, rows)})
          insert into rollout_devices (rollout_id, device_id, position, state, error, updated_at)
          select ${row.id}, device_id, position, 'waiting', null, ${number(row.created_at)} from chosen`.execute(
          transaction,
        );
      }
    });
  }

  /** Prevents concurrent rollouts of this account until the transaction ends. */
  async #requireBelowLimit(transaction: Transaction<Tables>, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    const { count } = await transaction
      .selectFrom("rollouts")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("account_id", "=", accountId)
      .where(IS_UNDER_WAY)
      .executeTakeFirstOrThrow();
    if (Number(count) >= ROLLOUTS_LIMIT)
      throw new Fault(
        "too_many_rollouts",
        `An account can have at most ${ROLLOUTS_LIMIT} rollouts in progress`,
      );
  }

  /** @returns the rollout after the update; `undefined` for a `refresh` of one that has ended */
  async #update(
    rolloutId: string,
    event: RolloutEvent,
    ended: EndedCommands = "unknown",
  ): Promise<Row<"rollouts"> | undefined> {
    const { commands, database, dialect, now } = this.#options;
    const update = await retriedTransaction(
      database,
      async (transaction): Promise<RolloutUpdate | undefined> => {
        const isRequest = event !== "refresh" && event !== "expire";
        const row = await lockRollout(transaction, rolloutId, isRequest ? undefined : UNDER_WAY);
        return row && updateRollout({ transaction, commands, dialect, now: now() }, row, event, ended);
      },
    );
    if (!update) return undefined;
    if (update.stored) commands.deliver(update.stored);
    if (update.hasMoved) this.#schedule(rolloutId, []); // for the next devices, of which there may be many
    return update.rollout;
  }

  async #poll(): Promise<void> {
    const { database, logger } = this.#options;
    const moving = this.#moving;
    this.#moving = new Set();
    const now = performance.now();
    for (const rolloutId of this.#lookedAt.keys())
      if (!moving.has(rolloutId)) this.#lookedAt.delete(rolloutId);
    const overdue = new Set<string>();
    for (const rolloutId of moving) {
      const lookedAt = this.#lookedAt.get(rolloutId);
      if (lookedAt === undefined) this.#lookedAt.set(rolloutId, now);
      else if (now - lookedAt >= FULL_LOOK_INTERVAL_MS) overdue.add(rolloutId);
    }
    try {
      for (const rolloutId of await rolloutsDue(
        database,
        [...moving].filter((id) => !overdue.has(id)),
      )) {
        if (this.#isInHand(rolloutId) && !overdue.has(rolloutId)) continue;
        this.#lookedAt.delete(rolloutId);
        this.#schedule(rolloutId, "unknown");
      }
    } catch (error) {
      logger.warn({ err: error }, "cannot read the rollouts that are due");
    }
  }

  /** Whether this process updates it anyway: one that has just been created is due too, and all of it would be counted. */
  #isInHand(rolloutId: string): boolean {
    return this.#updating.has(rolloutId) || this.#due.has(rolloutId) || this.#moving.has(rolloutId);
  }

  #schedule(rolloutId: string, ended: EndedCommands): void {
    if (this.#isClosed) return;
    this.#due.set(rolloutId, together(this.#due.get(rolloutId) ?? [], ended));
    if (!this.#isGathering) this.#endGathering?.();
    this.#work ??= this.#updateDue();
  }

  /** Whether there are only results to record, and more may come. */
  get #isGathering(): boolean {
    for (const [rolloutId, ended] of this.#due) {
      const awaited = this.#awaited.get(rolloutId) ?? Number.POSITIVE_INFINITY;
      if (ended === "unknown" || ended.length === 0 || ended.length >= awaited) return false;
    }
    return true;
  }

  /** Waits until all results are in, or some time has passed. */
  async #gather(): Promise<void> {
    if (!this.#isGathering) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, BATCH_DELAY_MS);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endGathering = undefined;
  }

  async #updateDue(): Promise<void> {
    while (this.#due.size > 0 && !this.#isClosed) {
      await this.#gather();
      const due = [...this.#due];
      this.#due.clear();
      for (const [rolloutId, ended] of due) if (!this.#isClosed) await this.#refresh(rolloutId, ended);
    }
    this.#work = undefined; // not once the promise has settled: rollouts that become due before that would wait
  }

  /** The next poll retries a failed update. */
  async #refresh(rolloutId: string, ended: EndedCommands): Promise<void> {
    this.#updating.add(rolloutId);
    try {
      const rollout = await this.#update(rolloutId, "refresh", ended);
      if (rollout?.state === "running") this.#moving.add(rolloutId);
      const awaited = rollout && UNDER_WAY.includes(rollout.state) ? sentIn(rollout) : undefined;
      if (awaited === undefined) this.#awaited.delete(rolloutId);
      else this.#awaited.set(rolloutId, awaited);
    } catch (error) {
      this.#awaited.delete(rolloutId);
      this.#moving.delete(rolloutId); // what has ended is not known any more
      this.#options.logger.warn({ err: error, rollout: rolloutId }, "cannot continue a rollout now");
    } finally {
      this.#updating.delete(rolloutId);
    }
  }
}

function together(one: EndedCommands, other: EndedCommands): EndedCommands {
  return one === "unknown" || other === "unknown" ? "unknown" : [...one, ...other];
}

function byRollout(commands: readonly ChangedCommand[]): ReadonlyMap<string, readonly ChangedCommand[]> {
  const rollouts = new Map<string, ChangedCommand[]>();
  for (const command of commands) {
    if (command.rollout_id === null) continue;
    if (!rollouts.get(command.rollout_id)?.push(command)) rollouts.set(command.rollout_id, [command]);
  }
  return rollouts;
}
