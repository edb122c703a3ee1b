/** A driver that delegates everything to another one; subclasses override only what differs. */
import type { CompiledQuery, DatabaseConnection, Driver, TransactionSettings } from "kysely";

export class WrappedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.inner = inner;
  }

  executeQuery<Row>(query: CompiledQuery) {
    return this.inner.executeQuery<Row>(query);
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    return this.inner.streamQuery<Row>(query, chunkSize);
  }
}

export class WrappedDriver<Connection extends WrappedConnection> implements Driver {
  readonly #inner: Driver;
  readonly #wrap: (connection: DatabaseConnection) => Connection;
  /** A pool gives the same connections again and again. */
  readonly #connections = new WeakMap<DatabaseConnection, Connection>();

  constructor(inner: Driver, wrap: (connection: DatabaseConnection) => Connection) {
    this.#inner = inner;
    this.#wrap = wrap;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<Connection> {
    const inner = await this.#inner.acquireConnection();
    const known = this.#connections.get(inner);
    if (known) return known;
    const fresh = this.#wrap(inner);
    this.#connections.set(inner, fresh);
    return fresh;
  }

  beginTransaction({ inner }: Connection, settings: TransactionSettings): Promise<void> {
    return this.#inner.beginTransaction(inner, settings);
  }

  commitTransaction({ inner }: Connection): Promise<void> {
    return this.#inner.commitTransaction(inner);
  }

  rollbackTransaction({ inner }: Connection): Promise<void> {
    return this.#inner.rollbackTransaction(inner);
  }

  releaseConnection({ inner }: Connection): Promise<void> {
    return this.#inner.releaseConnection(inner);
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}
