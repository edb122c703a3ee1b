/** The paged list of apps. Both databases sort in the same order: bytewise, by names in lower case. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import { countRows, oneOf, PAGE_MEMBERS, pagedAnswer, pageOf } from "../api/answers.js";
import { Coalesced } from "../coalesced.js";
import type { OtherWriters } from "../database/other-writers.js";
import type { Database, Dialect, Row } from "../database/schema.js";
import { type CatalogList, catalogEntry } from "./app-record.js";
import { CATEGORY_NAMES } from "./categories.js";
import { bytewise, orderOf } from "./list-order.js";
import { rankedIds } from "./ranked-search.js";

/** A list as JSON. */
export interface TaggedList {
  readonly json: Buffer;
  /** Strong, with its quotes: from the content, so that all processes send the same. */
  readonly etag: string;
}

export function taggedList(list: CatalogList): TaggedList {
  const json = Buffer.from(JSON.stringify(list));
  return { json, etag: `"${createHash("sha256").update(json).digest("base64url")}"` };
}

// Caches the answers to `GET /catalog`: the list changes only when a publisher changes it, but clients request it all
// the time. This process invalidates the cache on its own writes; the database reports those of other processes: SQLite
// by itself, PostgreSQL by the revision of the catalogue, which is read once for all requests that wait.

/** Lists of a hundred entries each use some 7 MiB. */
const LISTS_LIMIT = 256;

/** Reads the number of the catalogue's last change, which processes on PostgreSQL share. */
export function revisionOf({ database, dialect }: Databases): (() => Promise<number>) | undefined {
  if (dialect === "sqlite") return undefined;
  return async () => {
    const row = await database.selectFrom("hub").select("catalog_revision").executeTakeFirstOrThrow();
    return Number(row.catalog_revision);
  };
}

export class ListCache<List> {
  readonly #others: OtherWriters;
  readonly #revision: Coalesced<number> | undefined;
  readonly #lists = new Map<string, List>();
  #stamp: number | undefined;
  #changes = 0;

  /** @param revision where the database does not tell of other writers; left out, nothing is kept there */
  constructor(others: OtherWriters, revision?: () => Promise<number>) {
    this.#others = others;
    this.#revision = revision && new Coalesced(revision);
  }

  /**
   * Answers synchronously where possible, since a promise would cost as much as everything else.
   * @param make called on a cache miss
   */
  get(key: string, make: () => Promise<List>): List | Promise<List> {
    const stamp = this.#others.stamp();
    if (stamp !== undefined) return this.#getAt(stamp, key, make);
    return this.#revision ? this.#getAtRevision(this.#revision, key, make) : make();
  }

  async #getAtRevision(revision: Coalesced<number>, key: string, make: () => Promise<List>): Promise<List> {
    return this.#getAt(await revision.request(), key, make);
  }

  #getAt(stamp: number, key: string, make: () => Promise<List>): List | Promise<List> {
    if (stamp !== this.#stamp) this.clear();
    this.#stamp = stamp;
    return this.#lists.get(key) ?? this.#make(key, make);
  }

  /** What is kept for a key, if anything. */
  peek(key: string): List | undefined {
    const stamp = this.#others.stamp();
    return stamp !== undefined && stamp === this.#stamp ? this.#lists.get(key) : undefined;
  }

  /** The catalogue has changed. */
  clear(): void {
    this.#changes++;
    this.#lists.clear();
  }

  /** Does not cache a list if the catalogue has changed while it was made. */
  async #make(key: string, make: () => Promise<List>): Promise<List> {
    const changes = this.#changes;
    const made = await make();
    if (changes === this.#changes) this.#store(key, made);
    return made;
  }

  #store(key: string, list: List): void {
    if (this.#lists.size >= LISTS_LIMIT) this.#lists.clear();
    this.#lists.set(key, list);
  }
}

/** No text that is searched is longer. */
const SEARCH_LIMIT_CHARACTERS = 128;

const SORT = oneOf(
  ["name", "-name", "published_at", "-published_at", "downloads", "-downloads", "relevance"],
  "`name` by default; `-` reverses the order. `relevance` searches whole words, best matches first",
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
  category: Type.Optional(oneOf(CATEGORY_NAMES, "Only apps of this category")),
});
export type CatalogQuery = Static<typeof CATALOG_QUERY>;

interface Databases {
  readonly database: Database;
  readonly dialect: Dialect;
}

/** A page of listed apps. */
export interface ListedApps {
  /** Of all pages. */
  readonly total: number;
  readonly rows: readonly Row<"apps">[];
}

/** @param address the API's base address, for the icons' addresses */
export async function listApps(
  databases: Databases,
  query: CatalogQuery,
  address: string,
): Promise<CatalogList> {
  const { total, rows } = await findApps(databases, query);
  return pagedAnswer(pageOf(query), total, { apps: rows.map((app) => catalogEntry(app, address)) });
}

export async function findApps(databases: Databases, query: CatalogQuery): Promise<ListedApps> {
  const { q, sort = "name", category, ...paging } = query;
  const { database, dialect } = databases;
  if (sort === "relevance" && q !== undefined && q.trim() !== "") return rankApps(databases, q, query);
  const page = pageOf(paging);
  let listed = database.selectFrom("apps").where("retracted_at", "is", null);
  if (category !== undefined) listed = listed.where("category", "=", category);
  if (q !== undefined) {
    const pattern = patternOf(q);
    listed = listed.where(
      sql<boolean>`(search_text like ${pattern} escape '\\' or name_order like ${pattern} escape '\\')`,
    );
  }
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const order = sort === "relevance" ? "name" : sort.replace("-", "");
  const total = await countRows(listed);
  const rows = await listed
    .selectAll()
    .orderBy(orderOf(order, dialect), direction)
    .orderBy(bytewise("id", dialect), direction)
    .limit(page.perPage)
    .offset(page.offset)
    .execute();
  return { total, rows };
}

async function rankApps(
  databases: Databases,
  q: string,
  { category, ...paging }: CatalogQuery,
): Promise<ListedApps> {
  const { perPage, offset } = pageOf(paging);
  const ids = await rankedIds(databases, q, category);
  const shown = ids.slice(offset, offset + perPage);
  if (shown.length === 0) return { total: ids.length, rows: [] };
  const apps = await databases.database.selectFrom("apps").selectAll().where("id", "in", shown).execute();
  const byId = new Map(apps.map((app) => [app.id, app]));
  return { total: ids.length, rows: shown.flatMap((id) => byId.get(id) ?? []) };
}

/** Matches `q` anywhere in a text, and escapes its wildcards. */
function patternOf(q: string): string {
  return `%${q.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
}
