/**
 * Stands between the hub and the driver of its database: tells errors of a database that cannot be used from others, and
 * rejects parameters that a driver would not store unchanged. libsql aborts the process on a boolean, and truncates a
 * text at its first NUL, which PostgreSQL rejects. A text with a NUL comes from a client; the rest are our own bugs.
 */
import type { CompiledQuery, Dialect, Driver, TransactionSettings } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { databaseError } from "./database-unavailable.js";
import { WrappedConnection, WrappedDriver } from "./durable-driver.js";

/** Wraps a dialect to check each statement first. */
export function guarded(dialect: Dialect): Dialect {
  return {
    createDriver: () => new GuardedDriver(dialect.createDriver()),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
  };
}

/**
 * @throws {Fault} `bad_parameter` for a text with a NUL
 * @throws {TypeError} for anything but a text, a number or `null`
 */
function requireParameters(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === "string") requireText(parameter);
    else if (typeof parameter !== "number" && parameter !== null)
      throw new TypeError(`Cannot pass a ${typeof parameter} to the database`);
  }
}

function requireText(text: string): void {
  if (text.includes("\0")) throw new Fault("bad_parameter", "Cannot store a text with a NUL character");
}

/** @throws {DatabaseUnavailable} */
async function guardedErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw databaseError(error);
  }
}

class GuardedDriver extends WrappedDriver<GuardedConnection> {
  constructor(inner: Driver) {
    super(inner, (connection) => new GuardedConnection(connection));
  }

  override acquireConnection(): Promise<GuardedConnection> {
    return guardedErrors(super.acquireConnection());
  }

  override beginTransaction(connection: GuardedConnection, settings: TransactionSettings): Promise<void> {
    return guardedErrors(super.beginTransaction(connection, settings));
  }

  override commitTransaction(connection: GuardedConnection): Promise<void> {
    return guardedErrors(super.commitTransaction(connection));
  }

  override rollbackTransaction(connection: GuardedConnection): Promise<void> {
    return guardedErrors(super.rollbackTransaction(connection));
  }

  override releaseConnection(connection: GuardedConnection): Promise<void> {
    return guardedErrors(super.releaseConnection(connection));
  }
}

class GuardedConnection extends WrappedConnection {
  override async executeQuery<Row>(query: CompiledQuery) {
    requireParameters(query.parameters);
    return guardedErrors(super.executeQuery<Row>(query));
  }

  override streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    requireParameters(query.parameters);
    return super.streamQuery<Row>(query, chunkSize);
  }
}
