/** PostgreSQL through a connection pool that survives restarts of the server. */
import { PostgresDialect } from "kysely";
import pg from "pg";

const POOL_CONNECTIONS = 10;

/** Time to get a connection, new or from the pool; past it the caller gets `busy`. */
const CONNECTION_TIMEOUT_MS = 5000;

/** Our statements are short: a long one is blocked by a client that has disconnected. */
const STATEMENT_TIMEOUT_MS = 30_000;

const { builtins } = pg.types;

/** Types to read as numbers: our times, counts and sizes are below 2^53. Their `sum` is numeric. */
const WHOLE_NUMBERS: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC]);

const types = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    WHOLE_NUMBERS.has(id) ? Number : pg.types.getTypeParser(id, format as "text"),
};

export interface PostgresOptions {
  /** Lifts the time limit of statements, for migrations. */
  readonly isMigrating?: boolean;
  /** Called when an idle connection was lost; the next caller that needs one gets a new one. */
  readonly onLost: (error: Error) => void;
}

/** @param url `postgres://…` */
export function postgresDialect(
  url: string,
  { isMigrating = false, onLost }: PostgresOptions,
): PostgresDialect {
  const timeoutMs = isMigrating ? 0 : STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "svc-hub",
    max: POOL_CONNECTIONS,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: timeoutMs, // measured by the client, since a failed server does not answer
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs, // a disconnected process releases its row locks
    keepAlive: true,
    types: types as pg.CustomTypesConfig,
  });
  pool.on("error", onLost);
  // Between two statements of a transaction nothing else handles errors, and an unhandled one ends the process.
  pool.on("connect", (client) => client.on("error", onLost));
  return new PostgresDialect({ pool });
}
