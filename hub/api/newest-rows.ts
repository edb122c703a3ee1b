/** Pages of the tables that count their rows up, newest first (docs/spec/hub-api.md#paging-next). */
import type { Database, Row } from "../database/schema.js";
import type { Page } from "./answers.js";
import { entriesOf, keyBefore, rowsFor } from "./keyset.js";

/** Their `position` is the order in which the rows were added, over all accounts and devices. */
type CountedTable = "audit" | "commands" | "device_events" | "webhook_deliveries";

export interface NewestRows<Table extends CountedTable> {
  readonly entries: readonly Row<Table>[];
  readonly next: string | undefined;
}

/**
 * @param of columns with the values that the rows have
 * @throws {Fault} `bad_parameter` for a page behind no entry of such a list
 */
export async function newestRows<Table extends CountedTable>(
  database: Database,
  table: Table,
  of: Readonly<Partial<Record<"account_id" | "device_id" | "webhook_id", string>>>,
  page: Page,
): Promise<NewestRows<Table>> {
  const before = keyBefore(page, "number");
  // The types of the query builder follow one table: what is used of it here, all four have.
  const rows = await database
    .selectFrom(table as "audit")
    .selectAll()
    .where(({ and }) => and(of))
    .$if(before !== undefined, (query) => query.where("position", "<", before?.[0] ?? 0))
    .orderBy("position", "desc")
    .limit(rowsFor(page))
    .offset(page.offset)
    .execute();
  return entriesOf(rows, page, ({ position }) => [position]) as NewestRows<CountedTable> as NewestRows<Table>;
}
