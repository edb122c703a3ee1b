/** Detects writes to the database by other processes, for caches that stay valid until then. */
import type Sqlite from "libsql";

export interface OtherWriters {
  /**
   * Another number once another process has written. `undefined` where only the database could tell, as where several
   * processes share one: nothing is kept then.
   */
  stamp(): number | undefined;
}

/** Others write all the time. */
export const MANY_WRITERS: OtherWriters = Object.freeze({ stamp: () => undefined });

/** How long it may take to notice what another process has written, which is what the operator does by hand. */
const INTERVAL_MS = 100;

/** Of an SQLite file, which tells each connection of the commits of others. */
export class SqliteWriters implements OtherWriters {
  readonly #version: Sqlite.Statement;
  readonly #now: () => number;
  #stamp = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds that never go back */
  constructor(database: Sqlite.Database, now: () => number) {
    this.#version = database.prepare("pragma data_version");
    this.#now = now;
  }

  /** Six microseconds ten times a second, and nothing in between. */
  stamp(): number {
    const nowMs = this.#now();
    if (nowMs - this.#lookedAtMs >= INTERVAL_MS) {
      this.#stamp = (this.#version.get() as { readonly data_version: number }).data_version;
      this.#lookedAtMs = nowMs;
    }
    return this.#stamp;
  }
}
