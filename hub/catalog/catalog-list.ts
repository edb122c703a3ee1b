/** The paged list of apps. Both databases sort in the same order: bytewise, by names in lower case. */

import { createHash } from "node:crypto";
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import type { CatalogList } from "../../protocol/hub/answers/catalog.js";
import { oneOf } from "../../protocol/schema.js";
import { countRows, PAGE_MEMBERS, pagedAnswer, pageOf } from "../api/answers.js";
import type { Database, Dialect, Row } from "../database/schema.js";
import { catalogEntry } from "./app-record.js";
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
