/**
 * Commits that survive a loss of power, many with one flush. SQLite's own way (`synchronous = FULL`) flushes within
 * each commit: the process stands still for some milliseconds, and does it again for the next. Here a commit is written
 * to the log of the file (WAL) without a flush, the connection is free for the next one, and whoever committed is
 * answered when a flush that began afterwards is done, which is one for all who wait.
 *
 * A commit that was not flushed may be lost with the power, with those after it: the log is read up to the first frame
 * that is not whole (https://www.sqlite.org/wal.html). Nobody was told of it.
 */
import { type FileHandle, open } from "node:fs/promises";
import type { CompiledQuery, DatabaseConnection, Driver, TransactionSettings } from "kysely";
import { SelectQueryNode } from "kysely";

/** Flushes one file; who asks while a flush is under way shares the next. */
export class Flushes {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Returns once everything is safe that was written before. */
  flushed(): Promise<void> {
    if (!this.#running) return this.#run();
    // What is being flushed may have been read before the last write.
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

/** The log of an SQLite file, which is there as long as somebody has the file open, and once something was written. */
export class WriteAheadLog {
  readonly #path: string;
  #file: Promise<FileHandle> | undefined;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
  }

  async flush(): Promise<void> {
    this.#file ??= open(this.#path, "r+");
    await (await this.#file).datasync();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await (await file)?.close();
  }
}

/** A driver of SQLite whose connection is given back at once, and whoever has written with it waits for the flush. */
export class DurableDriver implements Driver {
  readonly #driver: Driver;
  readonly #log: WriteAheadLog;
  readonly #flushes: Flushes;
  /** The connection, of which there is one. */
  readonly #connections = new WeakMap<DatabaseConnection, WatchedConnection>();

  constructor(driver: Driver, log: WriteAheadLog) {
    this.#driver = driver;
    this.#log = log;
    this.#flushes = new Flushes(() => log.flush());
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#driver.acquireConnection();
    const known = this.#connections.get(connection);
    if (known) return known;
    const watched = new WatchedConnection(connection);
    this.#connections.set(connection, watched);
    return watched;
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

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const hasWritten = (connection as WatchedConnection).takeWritten();
    await this.#driver.releaseConnection(bare(connection));
    if (hasWritten) await this.#flushes.flushed();
  }

  async destroy(): Promise<void> {
    await this.#driver.destroy();
    await this.#log.close();
  }
}

class WatchedConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection;
  #hasWritten = false;

  constructor(connection: DatabaseConnection) {
    this.connection = connection;
  }

  /** Whether it has written since this was asked last. */
  takeWritten(): boolean {
    const hasWritten = this.#hasWritten;
    this.#hasWritten = false;
    return hasWritten;
  }

  async executeQuery<Row>(query: CompiledQuery) {
    const result = await this.connection.executeQuery<Row>(query);
    if (!SelectQueryNode.is(query.query)) this.#hasWritten = true;
    return result;
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    return this.connection.streamQuery<Row>(query, chunkSize);
  }
}

function bare(connection: DatabaseConnection): DatabaseConnection {
  return (connection as WatchedConnection).connection;
}
