/** The table of an account's consoles: filtered, sorted, and continued behind an entry (docs/spec/hub-api.md#filters). */
import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import Type, { type Static } from "typebox";
import { Fault } from "../../protocol/fault.js";
import { oneOf } from "../../protocol/schema.js";
import { countRows, type Page, pageOf } from "../api/answers.js";
import { entriesOf, type Key, keyBefore, LONG_PAGE_MEMBERS, rowsFor } from "../api/keyset.js";
import type { HubContext } from "../context.js";
import { firmwareOrder, nameOrder, seenOrder } from "../database/device-order.js";
import type { Dialect, Row } from "../database/schema.js";
import { versionOrder } from "../database/version-order.js";
import { asciiLower, type DeviceFilter, FILTER_MEMBERS, matchesFilter } from "./device-filter.js";
import type { Groups } from "./groups.js";

const SORTS = ["id", "name", "-name", "last_seen_at", "-last_seen_at", "firmware", "-firmware"] as const;

export const DEVICE_LIST_QUERY = Type.Object({
  ...LONG_PAGE_MEMBERS,
  ...FILTER_MEMBERS,
  group_id: Type.Optional(Type.String({ maxLength: 64, description: "The consoles of this group." })),
  sort: Type.Optional(oneOf(SORTS, "`id` by default; `-` reverses the order")),
});
export type DeviceListQuery = Static<typeof DEVICE_LIST_QUERY>;

export interface DeviceListContext extends Pick<HubContext, "database" | "dialect" | "now"> {
  readonly groups: Groups;
}

export interface DeviceListPage {
  readonly page: Page;
  readonly total: number;
  readonly devices: readonly Row<"devices">[];
  readonly next: string | undefined;
}

/** @throws {Fault} `group_not_found`, `bad_parameter` */
export async function listDevices(
  context: DeviceListContext,
  accountId: string,
  { group_id, sort = "id", page: number, per_page, after, ...filter }: DeviceListQuery,
): Promise<DeviceListPage> {
  const { database, dialect } = context;
  requireApp(filter);
  const page = pageOf({
    ...(number !== undefined && { page: number }),
    ...(per_page !== undefined && { per_page }),
    ...(after !== undefined && { after }),
  });
  const order = orderOf(sort, dialect);
  const before = keyBehind(sort, page);
  const matching = await filtersOf(
    context,
    accountId,
    group_id === undefined ? filter : { ...filter, group_id },
  );
  let held = database.selectFrom("devices");
  for (const matches of matching) held = held.where(matches);
  const total = await countRows(held);
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const rows = await held
    .selectAll()
    .$if(before !== undefined, (query) => query.where(() => isBehind(order, before as SortKey, direction)))
    .$if(order !== undefined, (query) => query.orderBy(order as RawBuilder<unknown>, direction))
    .orderBy("id", direction)
    .limit(rowsFor(page))
    .offset(page.offset)
    .execute();
  const { entries: devices, next } = entriesOf(rows, page, (row) => keyOf(sort, row));
  return { page, total, devices, next };
}

/** A filter, or a filter within a group. */
export type GroupedFilter = DeviceFilter & { readonly group_id?: string };

/**
 * @returns conditions of which all must hold
 * @throws {Fault} `group_not_found`, `bad_parameter`
 */
export async function filtersOf(
  { dialect, groups, now }: Pick<DeviceListContext, "dialect" | "groups" | "now">,
  accountId: string,
  { group_id, ...filter }: GroupedFilter,
) {
  requireApp(filter);
  const context = { dialect, accountId, now: now() };
  const own = matchesFilter(filter, context);
  if (group_id === undefined) return [own];
  return [own, matchesFilter(await groups.filterOf(accountId, group_id), context)];
}

/** @throws {Fault} `bad_parameter` for the version of no app */
export function requireApp({ app_id, app_version }: DeviceFilter): void {
  if (app_version !== undefined && app_id === undefined)
    throw new Fault("bad_parameter", '"app_version" needs "app_id"');
}

type Sort = (typeof SORTS)[number];

/** What the list is sorted by before the id; `undefined` for the id alone. */
function orderOf(sort: Sort, dialect: Dialect): RawBuilder<unknown> | undefined {
  switch (columnOf(sort)) {
    case "name":
      return nameOrder(dialect);
    case "last_seen_at":
      return seenOrder();
    case "firmware":
      return firmwareOrder(dialect);
    default:
      return undefined;
  }
}

function columnOf(sort: Sort): string {
  return sort.replace("-", "");
}

/** Of the last entry: what it is sorted by, and its id. */
type SortKey = readonly [string | number | undefined, string];

/** Each sort has keys of its own, so that a page of one cannot be continued in another. */
function keyBehind(sort: Sort, page: Page): SortKey | undefined {
  if (page.after === undefined) return undefined;
  if (sort === "id") return [undefined, keyBefore(page, "string")?.[0] ?? ""];
  const type = columnOf(sort) === "last_seen_at" ? "number" : "string";
  const [name = "", key, id = ""] = keyBefore(page, "string", type, "string") ?? [];
  if (name !== sort)
    throw new Fault("bad_parameter", '"after" must be "next" of a list with the same "sort"');
  return [key, id];
}

function keyOf(sort: Sort, { id, name, last_seen_at, firmware_version }: Row<"devices">): Key {
  switch (columnOf(sort)) {
    case "name":
      return [sort, asciiLower(name), id];
    case "last_seen_at":
      return [sort, last_seen_at ?? 0, id];
    case "firmware":
      return [sort, versionOrder(firmware_version), id];
    default:
      return [id];
  }
}

/** The index begins at the first comparison. */
function isBehind(
  order: RawBuilder<unknown> | undefined,
  [key, id]: SortKey,
  direction: "asc" | "desc",
): Expression<SqlBool> {
  const behind = sql.raw(direction === "asc" ? ">" : "<");
  if (order === undefined || key === undefined) return sql<SqlBool>`id ${behind} ${id}`;
  const value = typeof key === "number" ? sql`cast(${key} as bigint)` : sql`${key}`;
  return sql<SqlBool>`(${order} ${behind}= ${value} and (${order} ${behind} ${value} or id ${behind} ${id}))`;
}
