/**
 * Ends what has expired, and deletes what is no longer needed, so that the database of a hub does not grow with its age
 * (docs/spec/hub-api.md#retention). Every few seconds one of the hub's processes takes a turn. A turn handles a limited
 * number of rows: the rest waits for the next ones, and other statements get in between.
 */
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import { HAS_ENDED } from "../database/schema.js";
import { deleteOldEvents, deleteSurplus, devicesWithSurplus } from "../history/device-events.js";
import { deleteRolloutDevices } from "../rollouts/rollout-deletion.js";
import type { Rollouts } from "../rollouts/rollouts.js";
import { deleteOldEntries } from "../teams/audit.js";
import { deleteOldSessions } from "../teams/sessions.js";
import { deleteOldDeliveries } from "../webhooks/webhook-turns.js";

/** Between two turns of a process; all of them together have one in half of it at most. */
const TURN_INTERVAL_MS = 5000;

/** Commands that expire in one transaction. */
const COMMANDS_PER_TURN = 500;

/** Consoles whose old commands are looked for: a hub of 10,000 is through in some minutes, one of a million in hours. */
const DEVICES_PER_TURN = 500;

/** Rollouts of one account may have 10,000 consoles and more. */
const ROLLOUTS_PER_TURN = 10;
const ROLLOUT_DEVICES_PER_TURN = 2000;

const AUDIT_ENTRIES_PER_TURN = 2000;

const SESSIONS_PER_TURN = 2000;

const DELIVERIES_PER_TURN = 2000;

/** More than all attempts of a webhook's delivery take (docs/spec/hub-api.md#webhook-deliveries). */
const DELIVERIES_KEEP_MS = 7 * 24 * 3_600_000;
/** A fleet of 10,000 that connects once an hour and is given few commands has 40 a second. */
const EVENTS_PER_TURN = 5000;

export interface RetentionOptions
  extends Pick<HubContext, "config" | "database" | "dialect" | "logger" | "now"> {
  readonly commands: Pick<Commands, "deleteOld" | "expire">;
  readonly rollouts: Pick<Rollouts, "expire">;
}

export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    const run = () => {
      this.#running ??= this.#turnQuietly().finally(() => {
        this.#running = undefined;
      });
    };
    this.#timer = setInterval(run, TURN_INTERVAL_MS);
    run();
  }

  /** Waits for the turn in progress. May be called twice. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** No-op if another process has just had a turn. */
  async #turn(): Promise<void> {
    const { commands, rollouts } = this.#options;
    const after = await this.#take();
    if (after === undefined) return;
    await commands.expire(COMMANDS_PER_TURN);
    await rollouts.expire();
    await this.#deleteRollouts();
    const { config, database, now } = this.#options;
    await deleteOldEntries(database, now() - config.keepMs, AUDIT_ENTRIES_PER_TURN);
    await deleteOldSessions(database, now(), SESSIONS_PER_TURN);
    await deleteOldDeliveries(database, now() - DELIVERIES_KEEP_MS, DELIVERIES_PER_TURN);
    await deleteOldEvents(database, now() - config.keepMs, EVENTS_PER_TURN);
    await this.#deleteOfDevices(after, commands);
  }

  async #turnQuietly(): Promise<void> {
    try {
      await this.#turn();
    } catch (error) {
      this.#options.logger.warn({ err: error }, "cannot delete old rows now");
    }
  }

  /** @returns the console after which the last turn ended, `""` for the first turn; `undefined` if none is due */
  async #take(): Promise<string | undefined> {
    const { database, now } = this.#options;
    const takenAt = now();
    const taken = await database
      .updateTable("hub")
      .set({ retention_at: takenAt })
      .where((row) =>
        row.or([
          row("retention_at", "is", null),
          row("retention_at", "<=", takenAt - TURN_INTERVAL_MS / 2),
          row("retention_at", ">", takenAt + TURN_INTERVAL_MS), // a clock that was ahead has written it
        ]),
      )
      .returning("retention_device")
      .executeTakeFirst();
    return taken && (taken.retention_device ?? "");
  }

  /** Deletes rollouts that ended long ago, their consoles first. */
  async #deleteRollouts(): Promise<void> {
    const { config, database, now } = this.#options;
    const old = await database
      .selectFrom("rollouts")
      .select("id")
      .where(HAS_ENDED)
      .where("updated_at", "<=", now() - config.keepMs)
      .orderBy("updated_at")
      .limit(ROLLOUTS_PER_TURN)
      .execute();
    let left = ROLLOUT_DEVICES_PER_TURN;
    for (const { id } of old) {
      left -= await deleteRolloutDevices(database, id, left);
      if (left <= 0) return;
      await database.deleteFrom("rollouts").where("id", "=", id).where(HAS_ENDED).execute();
    }
  }

  /** Deletes what some consoles have too much of: ended commands, and events. */
  async #deleteOfDevices(after: string, commands: RetentionOptions["commands"]): Promise<void> {
    const { database } = this.#options;
    const devices = await database
      .selectFrom("devices")
      .select("id")
      .where("id", ">", after)
      .orderBy("id")
      .limit(DEVICES_PER_TURN)
      .execute();
    const ids = devices.map(({ id }) => id);
    await commands.deleteOld(ids);
    for (const id of await devicesWithSurplus(database, ids)) await deleteSurplus(database, id);
    const retention_device = ids.length < DEVICES_PER_TURN ? "" : (ids.at(-1) ?? "");
    await database.updateTable("hub").set({ retention_device }).execute();
  }
}
