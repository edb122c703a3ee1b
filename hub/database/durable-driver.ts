/**
 * Group commit for SQLite: commits survive a loss of power, and many share one flush. SQLite's own mode (`synchronous =
 * FULL`) flushes within each commit, which blocks the process for some milliseconds each time. Here a commit is written
 * to the write-ahead log (WAL) without a flush, and the connection is free for the next one. The caller's commit
 * resolves when a flush that began after it is complete; one flush serves all waiting callers.
 *
 * A loss of power may lose a commit that was not flushed, and all later ones: SQLite reads the log up to the first
 * incomplete frame (https://www.sqlite.org/wal.html). Such a commit was not reported as successful.
 */
import { type FileHandle, open } from "node:fs/promises";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SelectQueryNode,
  type TransactionSettings,
} from "kysely";

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

/** Delegates everything to another driver; subclasses override only what differs. */
export class WrappedDriver<Connection extends WrappedConnection> implements Driver {
  readonly #inner: Driver;
  readonly #wrap: (connection: DatabaseConnection) => Connection;
  /** A pool returns the same connections repeatedly. */
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

/** Flushes one file. Requests during a flush share the next one. */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Resolves once everything written before the call is durable. */
  request(): Promise<void> {
    if (!this.#running) return this.#run();
    // The running flush may not include the last write.
    this.#next ??= this.#running.then(
      () => this.#run(),
      () => this.#run(),
    );
    return this.#next;
  }

  #run(): Promise<void> {
    this.#next = undefined;
    const running = this.#flush().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

/** The log of an SQLite file. It exists after the first write, while a connection has the file open. */
export class WriteAheadLog {
  readonly #path: string;
  #file: Promise<FileHandle> | undefined;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
  }

  async flush(): Promise<void> {
    this.#file ??= open(this.#path, "r+").catch((error: unknown) => {
      this.#file = undefined; // the next flush retries
      throw error;
    });
    await (await this.#file).datasync();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await (await file)?.close();
  }
}

/** SQLite driver that releases a connection at once, and then lets the caller that wrote wait for the flush. */
export class DurableDriver extends WrappedDriver<TrackingConnection> {
  readonly #log: WriteAheadLog;
  readonly #flushes: SharedFlush;

  constructor(driver: Driver, log: WriteAheadLog) {
    super(driver, (connection) => new TrackingConnection(connection));
    this.#log = log;
    this.#flushes = new SharedFlush(() => log.flush());
  }

  override async releaseConnection(connection: TrackingConnection): Promise<void> {
    const hasWritten = connection.takeWritten();
    await super.releaseConnection(connection);
    if (hasWritten) await this.#flushes.request();
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#log.close();
  }
}

class TrackingConnection extends WrappedConnection {
  #hasWritten = false;

  /** Whether the connection has written since the last call. */
  takeWritten(): boolean {
    const hasWritten = this.#hasWritten;
    this.#hasWritten = false;
    return hasWritten;
  }

  override async executeQuery<Row>(query: CompiledQuery) {
    const result = await super.executeQuery<Row>(query);
    if (!SelectQueryNode.is(query.query)) this.#hasWritten = true;
    return result;
  }
}
