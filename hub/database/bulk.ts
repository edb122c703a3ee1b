/** Statements over many rows at once, in pieces that both databases take. */
import { type RawBuilder, sql } from "kysely";

/** Rows of one statement: a hundred values each stay below the 32,766 parameters that SQLite takes. */
export const ROWS_LIMIT = 256;

/** The largest first. Few sizes make few texts, so that the statements are kept compiled. */
const PIECES = Object.freeze([ROWS_LIMIT, 64, 16, 4, 1]);

export function* inPieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  let at = 0;
  for (const size of PIECES) for (; at + size <= items.length; at += size) yield items.slice(at, at + size);
}

export type Value = string | number | null;

/**
 * `(?, ?), (?, ?)`, for `VALUES`. PostgreSQL takes what it is not told for text: whole numbers are said to be some.
 */
export function rowsOf(rows: readonly (readonly Value[])[]): RawBuilder<unknown> {
  return sql.join(rows.map((row) => sql`(${sql.join(row.map(parameter))})`));
}

function parameter(value: Value): RawBuilder<unknown> {
  return typeof value === "number" ? sql`cast(${value} as bigint)` : sql`${value}`;
}
