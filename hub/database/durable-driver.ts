/**
 * Group commit for SQLite: commits survive a loss of power, and many share one flush. SQLite's own mode (`synchronous =
 * FULL`) flushes within each commit, which blocks the process for some milliseconds each time. Here a commit is written
 * to the write-ahead log (WAL) without a flush, and the connection is free for the next one. The caller's commit
 * resolves when a flush that began after it is complete; one flush serves all waiting callers.
 *
 * A loss of power may lose a commit that was not flushed, and all later ones: SQLite reads the log up to the first
 * incomplete frame (https://www.sqlite.org/wal.html). No caller was told that such a commit succeeded.
 */
import { type FileHandle, open } from "node:fs/promises";
import type { CompiledQuery, Driver } from "kysely";
import { SelectQueryNode } from "kysely";
import { WrappedConnection, WrappedDriver } from "./wrapped-driver.js";

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

/** The log of an SQLite file. It exists after the first write, while a connection has the file open. */
export class WriteAheadLog {
  readonly #path: string;
  #file: Promise<FileHandle> | undefined;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
  }

  async flush(): Promise<void> {
    this.#file ??= open(this.#path, "r+").catch((error: unknown) => {
      this.#file = undefined; // the next one tries again
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

/** SQLite driver that releases its connection at once, while the caller that wrote with it waits for the flush. */
export class DurableDriver extends WrappedDriver<WatchedConnection> {
  readonly #log: WriteAheadLog;
  readonly #flushes: Flushes;

  constructor(driver: Driver, log: WriteAheadLog) {
    super(driver, (connection) => new WatchedConnection(connection));
    this.#log = log;
    this.#flushes = new Flushes(() => log.flush());
  }

  override async releaseConnection(connection: WatchedConnection): Promise<void> {
    const hasWritten = connection.takeWritten();
    await super.releaseConnection(connection);
    if (hasWritten) await this.#flushes.flushed();
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#log.close();
  }
}

class WatchedConnection extends WrappedConnection {
  #hasWritten = false;

  /** Whether it has written since this was asked last. */
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
