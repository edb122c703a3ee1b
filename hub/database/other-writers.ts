/** Detects writes to the database by other processes, for caches that stay valid until then. */
import type Sqlite from "libsql";

export interface OtherWriters {
  /**
   * A number that changes after another process has written. `undefined` if that cannot be detected, as when several
   * processes share a database: then nothing is cached.
   */
  stamp(): number | undefined;
  /** The same number, as it is at this moment: {@link stamp} may be a tenth of a second old. */
  freshStamp(): number | undefined;
}

/** Several processes share the database, so nothing can be cached. */
export const MANY_WRITERS: OtherWriters = Object.freeze({
  stamp: () => undefined,
  freshStamp: () => undefined,
});

/** Longest delay until a write by another process is detected; only the operator's commands write. */
const INTERVAL_MS = 100;

/** Detects writes to an SQLite file, which reports the commits of others to each connection. */
export class SqliteWriters implements OtherWriters {
  readonly #version: Sqlite.Statement;
  #stamp: number | undefined;

  constructor(database: Sqlite.Database) {
    this.#version = database.prepare("pragma data_version");
  }

  /** A timer ends each tenth of a second, as looking at a clock costs more. */
  stamp(): number {
    if (this.#stamp !== undefined) return this.#stamp;
    setTimeout(() => (this.#stamp = undefined), INTERVAL_MS).unref();
    this.#stamp = this.freshStamp();
    return this.#stamp;
  }

  /** Costs six microseconds. */
  freshStamp(): number {
    return (this.#version.get() as { readonly data_version: number }).data_version;
  }
}
