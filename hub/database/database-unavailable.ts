/**
 * The error of a database that cannot be used now. It is told apart where statements run: the same code (ECONNRESET, ENOSPC)
 * of a client's connection or of a file means something else.
 */
import type { HubContext } from "../context.js";

/** `away`: it does not answer. `unwritable`: it answers, and takes no writes. `full`: it has no space left. */
export type DatabaseState = "away" | "unwritable" | "full";

/** Not a `Fault`: callers who catch one look for what a client did wrong. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly state: DatabaseState;
  /** Of the driver, if it gives one. */
  readonly code: string | undefined;

  constructor(state: DatabaseState, code: string | undefined, cause: Error) {
    super(cause.message || code, { cause }); // several failed connections have no message
    this.state = state;
    this.code = code;
  }
}

/** @returns the error of a driver as it is, unless the database cannot be used now */
export function databaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== "string")
    return CONNECTION_LOST.test(error.message) ? new DatabaseUnavailable("away", undefined, error) : error;
  const found = STATES.find(({ codes }) => codes.test(code));
  return found ? new DatabaseUnavailable(found.state, code, error) : error;
}

/** Codes of the file system, SQLite, and PostgreSQL (Appendix A of its manual). */
const STATES: readonly { readonly state: DatabaseState; readonly codes: RegExp }[] = [
  { state: "full", codes: /^(ENOSPC|EDQUOT|SQLITE_FULL|53100)$/ },
  // A standby, a database or a disk that is set to be read only, and one that fails.
  { state: "unwritable", codes: /^(25006|55000|58030|EROFS|EIO|SQLITE_(READONLY|IOERR|CANTOPEN).*)$/ },
  // No connection, a broken one, a server that starts, stops or has no connection left, a statement or transaction that
  // timed out, or a locked file.
  {
    state: "away",
    codes:
      /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08...|25P03|57014|57P0[1-3]|53[034]00|SQLITE_BUSY.*)$/,
  },
];

/** Errors of pg without a code, recognized by their message (pg 8, client.ts and pg-pool). */
const CONNECTION_LOST =
  /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout$|not queryable$/;

/**
 * Writes what is there already: a standby, and a disk that is full, still answer reads.
 * @throws {Error} if the database takes no writes
 */
export async function requireWritable({
  database,
  processId,
}: Pick<HubContext, "database" | "processId">): Promise<void> {
  await database
    .updateTable("processes")
    .set((row) => ({ heartbeat_at: row.ref("heartbeat_at") }))
    .where("id", "=", processId)
    .execute();
}
