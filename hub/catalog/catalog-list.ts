/** The paged list of apps. Both databases sort in the same order: bytewise, by names in lower case. */
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import { countRows, oneOf, PAGE_MEMBERS, pagedAnswer, pageOf } from "../api/answers.js";
import type { OtherWriters } from "../database/other-writers.js";
import type { Database, Dialect } from "../database/schema.js";
import { type CatalogList, catalogEntry } from "./app-record.js";

// Caches the answers to `GET /catalog`: the list changes only when a publisher changes it, but clients request it all
// the time. This process invalidates the cache on its own writes; the database reports those of other processes.

/** Lists of a hundred entries each use some 7 MiB. */
const LISTS_LIMIT = 256;

export class ListCache {
  readonly #others: OtherWriters;
  readonly #lists = new Map<string, Buffer>();
  #stamp: number | undefined;
  #changes = 0;

  constructor(others: OtherWriters) {
    this.#others = others;
  }

  /**
   * Answers synchronously where possible, since a promise would cost as much as everything else.
   * @param make called on a cache miss
   */
  get(key: string, make: () => Promise<Buffer>): Buffer | Promise<Buffer> {
    const stamp = this.#others.stamp();
    if (stamp === undefined) return make();
    if (stamp !== this.#stamp) this.clear();
    this.#stamp = stamp;
    return this.#lists.get(key) ?? this.#make(key, make);
  }

  /** The catalogue has changed. */
  clear(): void {
    this.#changes++;
    this.#lists.clear();
  }

  /** Does not cache a list if the catalogue has changed while it was made. */
  async #make(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const changes = this.#changes;
    const made = await make();
    if (changes === this.#changes) this.#store(key, made);
    return made;
  }

  #store(key: string, list: Buffer): void {
    if (this.#lists.size >= LISTS_LIMIT) this.#lists.clear();
    this.#lists.set(key, list);
  }
}

/** No text that is searched is longer. */
const SEARCH_LIMIT_CHARACTERS = 128;

const SORT = oneOf(
  ["name", "-name", "published_at", "-published_at", "downloads", "-downloads"],
  "`name` by default; `-` reverses the order",
);

export const CATALOG_QUERY = Type.Object({
  ...PAGE_MEMBERS,
  q: Type.Optional(
    Type.String({
      maxLength: SEARCH_LIMIT_CHARACTERS,
      description: "Searched for in name, description and author, ignoring case",
    }),
  ),
  sort: Type.Optional(SORT),
});
export type CatalogQuery = Static<typeof CATALOG_QUERY>;

/** @param address the API's base address, for the icons' addresses */
export async function listApps(
  { database, dialect }: { readonly database: Database; readonly dialect: Dialect },
  { q, sort = "name", ...paging }: CatalogQuery,
  address: string,
): Promise<CatalogList> {
  const page = pageOf(paging);
  let listed = database.selectFrom("apps").where("retracted_at", "is", null);
  if (q !== undefined) {
    const pattern = patternOf(q);
    listed = listed.where(
      sql<boolean>`(search_text like ${pattern} escape '\\' or name_order like ${pattern} escape '\\')`,
    );
  }
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const total = await countRows(listed);
  const rows = await listed
    .selectAll()
    .orderBy(orderOf(sort.replace("-", ""), dialect), direction)
    .orderBy(bytewise("id", dialect), direction)
    .limit(page.perPage)
    .offset(page.offset)
    .execute();
  return pagedAnswer(page, total, { apps: rows.map((app) => catalogEntry(app, address)) });
}

/** Matches `q` anywhere in a text, and escapes its wildcards. */
function patternOf(q: string): string {
  return `%${q.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
}

function orderOf(order: string, dialect: Dialect) {
  return order === "name" ? bytewise("coalesce(name_order, lower(id))", dialect) : sql.ref(order);
}

/** The locale of a PostgreSQL database would ignore dots and dashes. */
function bytewise(expression: "id" | "coalesce(name_order, lower(id))", dialect: Dialect) {
  return sql`${sql.raw(expression)} collate ${sql.raw(dialect === "postgres" ? '"C"' : "binary")}`;
}
