/**
 * The hub's processes: each writes a heartbeat every few seconds. When a process's heartbeats stop for a while, its
 * consoles count as offline. Heartbeats and their age are in the database's time.
 */
import type { HubContext } from "./context.js";
import type { DatabaseClock } from "./database/database-clock.js";

const HEARTBEAT_MS = 5000;

/**
 * A device is online where its process had a heartbeat this recently: two heartbeats may be lost
 * (docs/spec/hub-push.md#presence).
 */
export const PROCESS_FRESH_MS = 15_000;

/** A process without a heartbeat for this long is removed. */
const PROCESS_GONE_MS = 600_000;

/**
 * Successful heartbeats in a row before a process removes others: after a failure of the database, no process has a
 * recent heartbeat.
 */
const CLEANUP_HEARTBEATS = 12;

export class Processes {
  readonly #context: HubContext;
  readonly #clock: Pick<DatabaseClock, "measure">;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #successes = 0;
  #hasFailed = false;

  /** @param clock of `context.now`; follows the database with each heartbeat */
  constructor(context: HubContext, clock: Pick<DatabaseClock, "measure">) {
    this.#context = context;
    this.#clock = clock;
  }

  /** Stores the first heartbeat before it resolves. */
  async start(): Promise<void> {
    await this.heartbeat();
    this.#timer = setInterval(() => this.#heartbeatQuietly(), HEARTBEAT_MS);
  }

  /** Removes this process, and marks its devices as offline. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    try {
      await this.#remove(this.#context.processId);
    } catch (error) {
      this.#context.logger.warn({ err: error }, "cannot remove this process from the database");
    }
  }

  /** Skips this heartbeat while the previous one is being written. */
  #heartbeatQuietly(): void {
    this.#running ??= this.heartbeat()
      .then(
        () => this.#onSuccess(),
        (error: unknown) => this.#onFailure(error),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  #onSuccess(): void {
    if (this.#hasFailed) this.#context.logger.info("heartbeats are stored again");
    this.#hasFailed = false;
  }

  #onFailure(error: unknown): void {
    if (!this.#hasFailed) this.#context.logger.warn({ err: error }, "cannot store heartbeats");
    this.#hasFailed = true;
  }

  /** Writes one heartbeat, and from time to time removes processes that are gone. */
  async heartbeat(): Promise<void> {
    const { database, processId, now } = this.#context;
    const successes = this.#successes + 1;
    this.#successes = 0; // until one succeeds
    await this.#clock.measure();
    await database
      .insertInto("processes")
      .values({ id: processId, heartbeat_at: now() })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ heartbeat_at: now() }))
      .execute();
    this.#successes = successes;
    if (this.#successes % CLEANUP_HEARTBEATS === 0) await this.#removeGone();
  }

  async #removeGone(): Promise<void> {
    const { database, now } = this.#context;
    const gone = await database
      .selectFrom("processes")
      .select("id")
      .where("heartbeat_at", "<", now() - PROCESS_GONE_MS)
      .execute();
    for (const { id } of gone) await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    const { database } = this.#context;
    await database.updateTable("devices").set({ process_id: null }).where("process_id", "=", id).execute();
    await database.deleteFrom("processes").where("id", "=", id).execute();
  }
}
