/**
 * Keeps what was read of the catalogue until it changes: it changes only when a publisher changes it, but clients ask for it all
 * the time. This process clears the cache at its own writes; the database reports those of other processes: SQLite by
 * itself, PostgreSQL by the revision of the catalogue, which is read once for all requests that wait.
 */
import { Coalesced } from "../coalesced.js";
import type { HubContext } from "../context.js";
import type { OtherWriters } from "../database/other-writers.js";

/** Lists of a hundred entries each use some 7 MiB. */
const VALUES_LIMIT = 256;

/** Reads the number of the catalogue's last change, which processes on PostgreSQL share. */
export function revisionOf({
  database,
  dialect,
}: Pick<HubContext, "database" | "dialect">): (() => Promise<number>) | undefined {
  if (dialect === "sqlite") return undefined;
  return async () => {
    const row = await database.selectFrom("hub").select("catalog_revision").executeTakeFirstOrThrow();
    return Number(row.catalog_revision);
  };
}

export class CatalogCache<Value> {
  readonly #others: Pick<OtherWriters, "stamp">;
  readonly #revision: Coalesced<number> | undefined;
  readonly #values = new Map<string, Value>();
  #stamp: number | undefined;
  #changes = 0;

  /** @param revision where the database does not tell of other writers; left out, nothing is kept there */
  constructor(others: Pick<OtherWriters, "stamp">, revision?: () => Promise<number>) {
    this.#others = others;
    this.#revision = revision && new Coalesced(revision);
  }

  /**
   * Answers synchronously where possible, since a promise would cost as much as everything else.
   * @param make called on a cache miss
   */
  get(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    const stamp = this.#others.stamp();
    if (stamp !== undefined) return this.#getAt(stamp, key, make);
    return this.#revision ? this.#getAtRevision(this.#revision, key, make) : make();
  }

  async #getAtRevision(revision: Coalesced<number>, key: string, make: () => Promise<Value>): Promise<Value> {
    return this.#getAt(await revision.request(), key, make);
  }

  #getAt(stamp: number, key: string, make: () => Promise<Value>): Value | Promise<Value> {
    if (stamp !== this.#stamp) this.clear();
    this.#stamp = stamp;
    return this.#values.get(key) ?? this.#make(key, make);
  }

  /** What is kept for a key, if anything. */
  peek(key: string): Value | undefined {
    const stamp = this.#others.stamp();
    return stamp !== undefined && stamp === this.#stamp ? this.#values.get(key) : undefined;
  }

  /** The catalogue has changed. */
  clear(): void {
    this.#changes++;
    this.#values.clear();
  }

  /** Does not keep a value if the catalogue has changed while it was made. */
  async #make(key: string, make: () => Promise<Value>): Promise<Value> {
    const changes = this.#changes;
    const made = await make();
    if (changes === this.#changes) this.#store(key, made);
    return made;
  }

  #store(key: string, value: Value): void {
    if (this.#values.size >= VALUES_LIMIT) this.#values.clear();
    this.#values.set(key, value);
  }
}
