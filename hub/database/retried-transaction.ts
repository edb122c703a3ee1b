/** Transactions that retry after a conflict with a concurrent one. */
import type { Transaction } from "kysely";
import type { Database, Tables } from "./schema.js";

/** More than that are no coincidence. */
const TRIES_LIMIT = 8;

/**
 * Of PostgreSQL: unique violation, serialization failure, deadlock; of SQLite: the same row, the file in use. A
 * violation is one of the next try's, too, where it is not for a meeting of two, and is thrown then.
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

/** @param work is called once a try, and must have no effect beyond the transaction */
export async function retriedTransaction<Result>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (tries === TRIES_LIMIT || !isCollision(error)) throw error;
    }
}

export function isCollision(error: unknown): boolean {
  return error instanceof Error && COLLISIONS.has((error as { readonly code?: unknown }).code);
}
