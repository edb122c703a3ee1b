/**
 * Statements over many rows, and transactions that are retried after a collision with another one.
 */
import { PostgresAdapter, type RawBuilder, sql, type Transaction } from "kysely";
import { inSpan } from "../tracing/spans.js";
import type { Database, Dialect, Tables } from "./schema.js";

/** The kind of a database, for callers that are given nothing else. */
export function dialectOf(database: Database): Dialect {
  return database.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite";
}

/** Makes other transactions that do the same wait: those that count what the account has, to add to it below a limit. */
export async function lockAccount(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  if (dialectOf(transaction) === "sqlite") return; // which has one writer at a time
  await transaction
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", accountId)
    .forNoKeyUpdate()
    .execute();
}

/** Rows per statement: below SQLite's limit of 32,766 parameters with a hundred values each. */
const ROWS_LIMIT = 256;

/** Largest first. Few sizes produce few texts, so that the compiled statements are reused. */
const PIECES = Object.freeze([ROWS_LIMIT, 64, 16, 4, 1]);

/** Splits the rows of a statement into pieces that both databases accept. */
export function* inPieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  let at = 0;
  for (const size of PIECES) for (; at + size <= items.length; at += size) yield items.slice(at, at + size);
}

/** Rows of a statement that gets them in one parameter: it blocks a process on SQLite for some milliseconds. */
const AT_ONCE = 250;

/** Splits rows for {@link tableOf} or {@link isOneOf}, of which a statement takes any number without another text. */
export function* inSlices<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += AT_ONCE) yield items.slice(at, at + AT_ONCE);
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
  const [first = []] = rows;
  const differing = first.map((_, index) => index).filter((index) => !isSameIn(rows, index));
  const json = JSON.stringify(
    differing.length === first.length ? rows : rows.map((row) => differing.map((index) => row[index])),
  );
  const table =
    dialect === "sqlite" ? sql`json_each(${json})` : sql`jsonb_array_elements(cast(${json} as jsonb))`;
  const columns = first.map((value, index) => {
    const type = sql.raw(typeof value === "number" ? "bigint" : "text");
    const at = differing.indexOf(index);
    return at === -1 ? sql`cast(${value} as ${type})` : sql`cast(value ->> ${sql.lit(at)} as ${type})`;
  });
  return sql`select ${sql.join(columns)} from ${table}`;
}

/** Rows from which on a value that all of them have is worth a statement of its own text: reading it from JSON takes 0.4 µs. */
const SAME_LEAST = 16;

function isSameIn(rows: readonly (readonly Value[])[], index: number): boolean {
  if (rows.length < SAME_LEAST) return false;
  const value = rows[0]?.[index];
  return rows.every((row) => row[index] === value);
}

/**
 * Whether a column has one of these texts, in one parameter for any number of them. PostgreSQL would read the whole table
 * for a subquery, and uses an index for an array.
 * @param column its name, also with that of its table
 */
export function isOneOf(dialect: Dialect, column: string, ids: readonly string[]): RawBuilder<boolean> {
  const json = JSON.stringify(ids);
  return dialect === "sqlite"
    ? sql<boolean>`${sql.ref(column)} in (select value from json_each(${json}))`
    : sql<boolean>`${sql.ref(column)} = any(array(select jsonb_array_elements_text(cast(${json} as jsonb))))`;
}

/** A text in a list of columns, for the same reason as {@link number}. */
export function text(value: string | null): RawBuilder<string | null> {
  return sql`cast(${value} as text)`;
}

/** An integer in a list of columns, where PostgreSQL would take a parameter for a text. */
export function number(value: number | null): RawBuilder<number | null> {
  return sql`cast(${value} as bigint)`;
}

/** Collisions this often are no coincidence. */
const TRIES_LIMIT = 8;

/**
 * PostgreSQL: unique violation, serialization failure, deadlock. SQLite: unique violation, file in use. A violation
 * without a concurrent transaction occurs at each attempt, and is thrown after the last one.
 */
const COLLISIONS: ReadonlySet<unknown> = new Set([
  "23505",
  "40001",
  "40P01",
  "SQLITE_CONSTRAINT_UNIQUE",
  "SQLITE_CONSTRAINT_PRIMARYKEY",
  "SQLITE_BUSY",
  "SQLITE_BUSY_SNAPSHOT",
]);

/** @param work called once per attempt; must have no effect beyond the transaction */
export function retriedTransaction<Result>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return inSpan("database transaction", {}, async (span) => {
    for (let tries = 1; ; tries++)
      try {
        return await database.transaction().execute(work);
      } catch (error) {
        if (tries === TRIES_LIMIT || !isCollision(error)) throw error;
        span.setAttribute("svc.collisions", tries);
      }
  });
}

function isCollision(error: unknown): boolean {
  return error instanceof Error && COLLISIONS.has((error as { readonly code?: unknown }).code);
}
