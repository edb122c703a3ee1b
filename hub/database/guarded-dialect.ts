/**
 * What no driver is given: parameters that it would not keep as they are. libsql ends the process on a boolean, and
 * cuts a text at its first NUL, which PostgreSQL refuses. A text with a NUL comes from outside; anything else is ours.
 */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, TransactionSettings } from "kysely";
import { Fault } from "../../protocol/fault.js";

/** The same dialect, whose statements are looked at first. */
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
 * @throws {TypeError} for what is neither text, number nor `null`
 */
export function requireParameters(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === "string") requireText(parameter);
    else if (typeof parameter !== "number" && parameter !== null)
      throw new TypeError(`Cannot give the database a ${typeof parameter}`);
  }
}

function requireText(text: string): void {
  if (text.includes("\0")) throw new Fault("bad_parameter", "Cannot keep a text with a NUL character in it");
}

class GuardedDriver implements Driver {
  readonly #driver: Driver;
  readonly #guarded = new WeakMap<DatabaseConnection, GuardedConnection>();

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#driver.acquireConnection();
    const known = this.#guarded.get(connection);
    if (known) return known;
    const fresh = new GuardedConnection(connection);
    this.#guarded.set(connection, fresh);
    return fresh;
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(bare(connection), settings);
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(bare(connection));
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(bare(connection));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(bare(connection));
  }

  destroy(): Promise<void> {
    return this.#driver.destroy();
  }
}

class GuardedConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.connection = connection;
  }

  async executeQuery<Row>(query: CompiledQuery) {
    requireParameters(query.parameters);
    return this.connection.executeQuery<Row>(query);
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    requireParameters(query.parameters);
    return this.connection.streamQuery<Row>(query, chunkSize);
  }
}

function bare(connection: DatabaseConnection): DatabaseConnection {
  return (connection as GuardedConnection).connection;
}
