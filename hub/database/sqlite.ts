/**
 * SQLite through libsql, which its package contains: one file, one connection, one server process. The operator's
 * commands open the file briefly beside that process.
 */
import { chmodSync, closeSync, openSync } from "node:fs";
import path from "node:path";
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from "kysely";
import Sqlite from "libsql";
import { RecentMap } from "../recent-map.js";
import { Checkpoints } from "./checkpoints.js";
import { DurableDriver, WriteAheadLog } from "./durable-driver.js";
import { SqliteWriters } from "./other-writers.js";

/** How long a statement waits for another process. Both hold their locks for milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/** The file contains claim codes. */
const OWNER_MODE = 0o600;

/** Pages of the file to keep in memory: those of a hundred thousand consoles, instead of SQLite's 2 MiB. */
const CACHE_KIB = 64 * 1024;

/**
 * Pages of the write-ahead log at which this connection moves them to the file itself, which blocks the process: before
 * that, a thread does (checkpoints.ts), but while it does, more are added.
 */
const FALLBACK_PAGES = 16_384;

/** Compiled statements to cache, which halves the time of a short one (8 µs instead of 19 µs). */
const STATEMENTS_LIMIT = 512;

export function sqlitePath(storagePath: string): string {
  return path.join(storagePath, "hub.db");
}

/** @param storagePath an existing directory */
export function openSqlite(storagePath: string): { dialect: SqliteDialect; otherWriters: SqliteWriters } {
  const databasePath = sqlitePath(storagePath);
  const file = openFile(databasePath);
  const database = new StatementCache(file);
  const dialect = new SqliteDialect({ database });
  dialect.createDriver = () => {
    const checkpoints = new Checkpoints(databasePath);
    return new DurableDriver(new ImmediateDriver({ database }), new WriteAheadLog(databasePath), checkpoints);
  };
  return { dialect, otherWriters: new SqliteWriters(file) };
}

function openFile(file: string): Sqlite.Database {
  restrictToOwner(file);
  const database = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.pragma("journal_mode = WAL");
  // The driver flushes commits (durable-driver.ts) before it reports them to the caller.
  database.pragma("synchronous = NORMAL");
  database.pragma("foreign_keys = ON");
  database.pragma(`cache_size = -${CACHE_KIB}`);
  database.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`);
  return database;
}

/**
 * SQLite gives its other files the same mode. Does not open an existing file: closing it would release the locks that
 * this process has on it through another connection (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
function restrictToOwner(file: string): void {
  try {
    closeSync(openSync(file, "wx", OWNER_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    chmodSync(file, OWNER_MODE);
  }
}

/**
 * Takes the write lock when a transaction begins. Otherwise a transaction that reads first would fail at its first
 * write if another process has written meanwhile (SQLITE_BUSY_SNAPSHOT), whatever the timeout.
 *
 * Gives the connection to those who wait for it in their order. Kysely's own driver wakes all of them each time: half of the
 * processor time in which ten thousand consoles connect at once [measured].
 */
class ImmediateDriver extends SqliteDriver {
  /** Until when the last one who asked for the connection has it. */
  #last = Promise.resolve();
  #release = () => {};

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last;
    let release = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    await super.releaseConnection();
    this.#release();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

/** Prepares each text once. Kysely runs one statement at a time, so none is used twice concurrently. */
class StatementCache {
  readonly #database: Sqlite.Database;
  readonly #statements = new RecentMap<string, SqliteStatement>(STATEMENTS_LIMIT);

  constructor(database: Sqlite.Database) {
    this.#database = database;
  }

  prepare(text: string): SqliteStatement {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.#database.prepare(text) as SqliteStatement;
    this.#statements.set(text, statement);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#database.pragma("wal_checkpoint(TRUNCATE)"); // then the file alone contains the database
    this.#database.close();
  }
}
