/**
 * The hub's processes: each writes a heartbeat every few seconds. When a process's heartbeats stop for a while, its
 * consoles count as offline. The clocks of the machines must agree within seconds.
 */
import type { HubContext } from "./context.js";

const HEARTBEAT_MS = 5000;

/**
 * A device is online where its process had a heartbeat this recently: two heartbeats may be lost
 * (docs/spec/hub-push.md#presence).
 */
export const PROCESS_FRESH_MS = 15_000;

/** One that has been silent for so long will not come back. */
const PROCESS_GONE_MS = 600_000;

/**
 * Heartbeats in a row, without one that failed, before a process judges others: after the database was away, all of
 * them have been silent for a while.
 */
const CLEANUP_HEARTBEATS = 12;

export class Processes {
  readonly #context: HubContext;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #successes = 0;
  #hasFailed = false;

  constructor(context: HubContext) {
    this.#context = context;
  }

  /** The first heartbeat is there when it returns. */
  async start(): Promise<void> {
    await this.heartbeat();
    this.#timer = setInterval(() => this.#heartbeatQuietly(), HEARTBEAT_MS);
  }

  /** Releases everything that this process held. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    try {
      await this.#remove(this.#context.processId);
    } catch (error) {
      this.#context.logger.warn({ err: error }, "this process could not sign off");
    }
  }

  /** A heartbeat that outlasts the interval replaces the next one. */
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

  /** One heartbeat. Now and then also an end to those who have none any more. */
  async heartbeat(): Promise<void> {
    const { database, processId, now } = this.#context;
    const successes = this.#successes + 1;
    this.#successes = 0; // until one succeeds
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
