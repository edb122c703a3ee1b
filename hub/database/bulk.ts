/** Splits statements over many rows into pieces that both databases accept. */
import { type RawBuilder, sql } from "kysely";
import type { Dialect } from "./dialect.js";

/** Rows of one statement: with a hundred values each, below SQLite's limit of 32,766 parameters. */
export const ROWS_LIMIT = 256;

/** The largest first. Few sizes make few texts, so that the statements are kept compiled. */
const PIECES = Object.freeze([ROWS_LIMIT, 64, 16, 4, 1]);

export function* inPieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  let at = 0;
  for (const size of PIECES) for (; at + size <= items.length; at += size) yield items.slice(at, at + size);
}

export type Value = string | number | null;

/**
 * `(?, ?), (?, ?)`, for `VALUES`. PostgreSQL treats untyped parameters as text, so integers are cast.
 */
export function rowsOf(rows: readonly (readonly Value[])[]): RawBuilder<unknown> {
  return sql.join(rows.map((row) => sql`(${sql.join(row.map(parameter))})`));
}

function parameter(value: Value): RawBuilder<unknown> {
  return typeof value === "number" ? sql`cast(${value} as bigint)` : sql`${value}`;
}

/**
 * A query with these rows, for `WITH`. SQLite needs 0.7 ms for each of 256 `VALUES` that an `UPDATE` is joined with,
 * and 8 µs for each in one JSON parameter [measured]. A column holds integers, or texts and null.
 * @param rows at least one
 */
export function tableOf(dialect: Dialect, rows: readonly (readonly Value[])[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const table =
    dialect === "sqlite" ? sql`json_each(${json})` : sql`jsonb_array_elements(cast(${json} as jsonb))`;
  const columns = rows[0]?.map((value, index) => {
    const type = sql.raw(typeof value === "number" ? "bigint" : "text");
    return sql`cast(value ->> ${sql.lit(index)} as ${type})`;
  });
  return sql`select ${sql.join(columns ?? [])} from ${table}`;
}
