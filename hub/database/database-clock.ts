/**
 * The time of the hub. Processes compare times that others have written (heartbeats, windows of rate limits, expiry), and
 * the clocks of their machines differ: so each follows the clock of the database server, whose distance from its own
 * monotonic clock it measures with every heartbeat. With SQLite, which is on the same machine, it is the machine's clock.
 */
import { sql } from "kysely";
import type { Database, Dialect } from "./schema.js";

/** A slower answer says too little about the time, once there has been a better one. */
const ROUND_TRIP_LIMIT_MS = 1000;

export class DatabaseClock {
  readonly #database: Database;
  readonly #dialect: Dialect;
  /** The database's time at the origin of `performance.now()`; `undefined` until it is measured. */
  #originMs: number | undefined;

  constructor(database: Database, dialect: Dialect) {
    this.#database = database;
    this.#dialect = dialect;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number =>
    this.#originMs === undefined ? Date.now() : Math.round(this.#originMs + performance.now());

  /** Asks the database for its time. */
  async measure(): Promise<void> {
    if (this.#dialect === "sqlite") return;
    const before = performance.now();
    const { rows } = await sql<{ readonly ms: string }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(this.#database);
    const tookMs = performance.now() - before;
    if (this.#originMs !== undefined && tookMs > ROUND_TRIP_LIMIT_MS) return;
    this.#originMs = Number(rows[0]?.ms) - before - tookMs / 2;
  }
}
