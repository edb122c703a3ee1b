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

/** The log of an SQLite file, which is there as long as somebody has the file open, and once something was written. */
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

/** A driver of SQLite whose connection is given back at once, and whoever has written with it waits for the flush. */
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
