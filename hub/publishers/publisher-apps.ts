/** The apps of a publisher as their publisher sees them: with what waits for review, and what was refused and why. */
import type { Static } from "typebox";
import { longPagedList } from "../../protocol/hub/answers/paged-list.js";
import { listOf, object, oneOf, type Shaped, text, time, truth } from "../../protocol/schema.js";
import { countRows, isoTime, pagedAnswer, pageOf } from "../api/answers.js";
import { entriesOf, keyBefore, type LONG_PAGE_QUERY, rowsFor } from "../api/keyset.js";
import { bytewise } from "../catalog/list-order.js";
import type { Database, Dialect, Row } from "../database/schema.js";

const VERSION_STATES = ["listed", "waiting", "refused", "withdrawn"] as const;

export const PUBLISHER_APPS = longPagedList({
  apps: listOf(
    object({
      id: text(),
      name: text(),
      listed: truth("Whether the catalogue lists the app"),
      version: text("The newest published version, whatever its state"),
      state: oneOf(VERSION_STATES, "Of that version"),
      reason: text('Why it was refused; `""` for none'),
      published_at: time(),
    }),
  ),
});

export async function publisherApps(
  { database, dialect }: { readonly database: Database; readonly dialect: Dialect },
  publisherId: string,
  query: Static<typeof LONG_PAGE_QUERY>,
): Promise<Shaped<typeof PUBLISHER_APPS>> {
  const page = pageOf(query);
  const own = database.selectFrom("apps").where("publisher_id", "=", publisherId);
  const before = keyBefore(page, "string");
  const rows = await own
    .select(["id", "display_name", "retracted_at"])
    .$if(before !== undefined, (list) => list.where(bytewise("id", dialect), ">", before?.[0]))
    .orderBy(bytewise("id", dialect))
    .limit(rowsFor(page))
    .offset(page.offset)
    .execute();
  const { entries, next } = entriesOf(rows, page, ({ id }) => [id]);
  const apps = [];
  for (const { id, display_name, retracted_at } of entries) {
    const newest = await newestOf(database, id);
    apps.push({
      id,
      name: display_name ?? id,
      listed: retracted_at === null,
      version: newest.version,
      state: stateOf(newest),
      reason: newest.review_reason ?? "",
      published_at: isoTime(newest.published_at),
    });
  }
  return pagedAnswer(page, await countRows(own), { apps }, next);
}

function newestOf(database: Database, appId: string): Promise<Row<"app_versions">> {
  return database
    .selectFrom("app_versions")
    .selectAll()
    .where("app_id", "=", appId)
    .orderBy("version_order", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
}

function stateOf({ review, withdrawn_at }: Row<"app_versions">): (typeof VERSION_STATES)[number] {
  return withdrawn_at === null ? (review ?? "listed") : "withdrawn";
}
