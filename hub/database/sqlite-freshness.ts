/** Freshness of an SQLite file: this connection counts what it writes, and the file tells of other processes. */
import type Sqlite from "libsql";
import type { Freshness } from "./freshness.js";

/** How long it may take to notice what another process has written, which is what the operator does by hand. */
const OTHERS_INTERVAL_MS = 100;

export class SqliteFreshness implements Freshness {
  readonly #ownWrites: Sqlite.Statement;
  readonly #othersWrites: Sqlite.Statement;
  readonly #now: () => number;
  #others = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds that never go back */
  constructor(database: Sqlite.Database, now: () => number) {
    this.#ownWrites = database.prepare("select total_changes() as writes");
    this.#othersWrites = database.prepare("pragma data_version");
    this.#now = now;
  }

  /** Two microseconds, and six more ten times a second. */
  stamp(): string {
    const nowMs = this.#now();
    if (nowMs - this.#lookedAtMs >= OTHERS_INTERVAL_MS) {
      this.#others = (this.#othersWrites.get() as { readonly data_version: number }).data_version;
      this.#lookedAtMs = nowMs;
    }
    const { writes } = this.#ownWrites.get() as { readonly writes: number };
    return `${this.#others}.${writes}`;
  }
}
