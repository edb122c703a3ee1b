/**
 * The time of the hub. Processes compare times that others have written (heartbeats, windows of rate limits, expiry), and
 * the clocks of their machines differ: so each follows the clock of the database server, whose distance from its own
 * monotonic clock it measures with every heartbeat. With SQLite, which is on the same machine, it is the machine's clock.
 */
import { sql } from "kysely";
import type { Database, Dialect } from "./schema.js";

/** How far two clocks part in a time, at most: crystals of computers are good for a ten-thousandth. */
const DRIFT = 2e-4;

export class DatabaseClock {
  readonly #database: Database;
  readonly #dialect: Dialect;
  /** The database's time at the origin of `performance.now()`; `undefined` until it is measured. */
  #originMs: number | undefined;
  /** By how much that may be wrong, and when it was measured. */
  #errorMs = 0;
  #measuredAtMs = 0;

  constructor(database: Database, dialect: Dialect) {
    this.#database = database;
    this.#dialect = dialect;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number =>
    this.#originMs === undefined ? Date.now() : Math.round(this.#originMs + performance.now());

  /**
   * Asks the database for its time. A slow answer, which may be of any moment of its round trip, counts only if it shows that the
   * database's clock was set, or that another server answers.
   */
  async measure(): Promise<void> {
    if (this.#dialect === "sqlite") return;
    const before = performance.now();
    const { rows } = await sql<{ readonly ms: string }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(this.#database);
    const now = performance.now();
    const errorMs = (now - before) / 2;
    const originMs = Number(rows[0]?.ms) - before - errorMs;
    const knownErrorMs = this.#errorMs + (now - this.#measuredAtMs) * DRIFT;
    const fits =
      this.#originMs !== undefined && Math.abs(originMs - this.#originMs) <= knownErrorMs + errorMs + 1;
    if (fits && errorMs > knownErrorMs) return;
    this.#originMs = originMs;
    this.#errorMs = errorMs;
    this.#measuredAtMs = now;
  }
}
