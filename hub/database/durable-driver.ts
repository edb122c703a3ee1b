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
  InsertQueryNode,
  type OperationNode,
  type RootOperationNode,
  SelectQueryNode,
  TableNode,
  type TransactionSettings,
} from "kysely";

import { Coalesced } from "../coalesced.js";
import { yieldIfLong } from "../event-loop.js";
import type { Checkpoints } from "./checkpoints.js";
import type { Tables } from "./schema.js";

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

/**
 * SQLite driver that releases a connection at once, and then lets the caller that wrote wait for the flush. Statements run
 * in this thread: between those of a long transaction, the process serves its sockets.
 */
export class DurableDriver extends WrappedDriver<TrackingConnection> {
  readonly #log: WriteAheadLog;
  /** One flush serves all who wait for it. */
  readonly #flushes: Coalesced<void>;
  readonly #checkpoints: Checkpoints;

  constructor(driver: Driver, log: WriteAheadLog, checkpoints: Checkpoints) {
    super(driver, (connection) => new TrackingConnection(connection));
    this.#log = log;
    this.#checkpoints = checkpoints;
    this.#flushes = new Coalesced(() => log.flush());
  }

  override async releaseConnection(connection: TrackingConnection): Promise<void> {
    const { hasWritten, rows } = connection.takeWritten();
    await super.releaseConnection(connection);
    if (!hasWritten) return;
    await this.#flushes.request();
    this.#checkpoints.onWritten(rows);
  }

  override async destroy(): Promise<void> {
    await this.#checkpoints.close();
    await super.destroy();
    await this.#log.close();
  }
}

/** Tables of counts in windows of a minute, which nobody misses after a loss of power. */
const FORGETTABLE: ReadonlySet<string> = new Set<keyof Tables>(["rate_limits"]);

function isForgettable(query: RootOperationNode): boolean {
  return InsertQueryNode.is(query) && query.into !== undefined && FORGETTABLE.has(nameOf(query.into));
}

function nameOf(table: OperationNode): string {
  return TableNode.is(table) ? table.table.identifier.name : "";
}

interface Written {
  readonly hasWritten: boolean;
  /** Rows that were changed, as far as the driver tells. */
  readonly rows: number;
}

const NOTHING: Written = Object.freeze({ hasWritten: false, rows: 0 });

class TrackingConnection extends WrappedConnection {
  #written = NOTHING;

  /** What the connection has written since the last call. */
  takeWritten(): Written {
    const written = this.#written;
    this.#written = NOTHING;
    return written;
  }

  override async executeQuery<Row>(query: CompiledQuery) {
    await yieldIfLong();
    const result = await super.executeQuery<Row>(query);
    if (!SelectQueryNode.is(query.query) && !isForgettable(query.query)) {
      const rows = Math.max(Number(result.numAffectedRows ?? 0), result.rows.length);
      this.#written = { hasWritten: true, rows: this.#written.rows + rows };
    }
    return result;
  }
}
