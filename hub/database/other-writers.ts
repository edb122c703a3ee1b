/** Detects writes to the database by other processes, for caches that stay valid until then. */
import type Sqlite from "libsql";

export interface OtherWriters {
  /**
   * A number that changes after another process has written. `undefined` if that cannot be detected, as when several
   * processes share a database: then nothing is cached.
   */
  stamp(): number | undefined;
}

/** Several processes share the database, so nothing can be cached. */
export const MANY_WRITERS: OtherWriters = Object.freeze({ stamp: () => undefined });

/** Longest delay until a write by another process is detected; only the operator's commands write. */
const INTERVAL_MS = 100;

/** Detects writes to an SQLite file, which reports the commits of others to each connection. */
export class SqliteWriters implements OtherWriters {
  readonly #version: Sqlite.Statement;
  readonly #now: () => number;
  #stamp = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds that never go back */
  constructor(database: Sqlite.Database, now: () => number) {
    this.#version = database.prepare("pragma data_version");
    this.#now = now;
  }

  /** Costs six microseconds, at most ten times a second. */
  stamp(): number {
    const nowMs = this.#now();
    if (nowMs - this.#readAtMs >= INTERVAL_MS) {
      this.#stamp = (this.#version.get() as { readonly data_version: number }).data_version;
      this.#readAtMs = nowMs;
    }
    return this.#stamp;
  }
}
