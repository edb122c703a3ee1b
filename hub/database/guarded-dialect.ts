/**
 * Rejects parameters that a driver would not store unchanged. libsql aborts the process on a boolean, and truncates a
 * text at its first NUL, which PostgreSQL rejects. A text with a NUL comes from a client; the rest are our own bugs.
 */
import type { CompiledQuery, Dialect } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { WrappedConnection, WrappedDriver } from "./durable-driver.js";

/** Wraps a dialect to check each statement first. */
export function guarded(dialect: Dialect): Dialect {
  return {
    createDriver: () =>
      new WrappedDriver(dialect.createDriver(), (connection) => new GuardedConnection(connection)),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
  };
}

/**
 * @throws {Fault} `bad_parameter` for a text with a NUL
 * @throws {TypeError} for anything but a text, a number or `null`
 */
export function requireParameters(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === "string") requireText(parameter);
    else if (typeof parameter !== "number" && parameter !== null)
      throw new TypeError(`Cannot pass a ${typeof parameter} to the database`);
  }
}

function requireText(text: string): void {
  if (text.includes("\0")) throw new Fault("bad_parameter", "Cannot store a text with a NUL character");
}

class GuardedConnection extends WrappedConnection {
  override async executeQuery<Row>(query: CompiledQuery) {
    requireParameters(query.parameters);
    return super.executeQuery<Row>(query);
  }

  override streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    requireParameters(query.parameters);
    return super.streamQuery<Row>(query, chunkSize);
  }
}
