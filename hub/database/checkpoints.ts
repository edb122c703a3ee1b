/**
 * Moves the write-ahead log of an SQLite file into the file itself, in a thread of its own with a connection of its own
 * (https://www.sqlite.org/wal.html#ckpt). A checkpoint flushes both files, which takes up to a second on a busy disk;
 * within a commit, as is SQLite's default, it would block the process for so long. Two connections of one process may
 * have the file open, since both belong to the same copy of SQLite, which keeps its locks for both.
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** Changed rows after which a checkpoint begins. */
const ROWS_PER_CHECKPOINT = 4000;

/** Time after which a checkpoint begins however little has changed. */
const DELAY_MS = 5000;

/** "Passive" waits for nobody: it moves what it can. */
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.libsql);
  const database = new Database(workerData.path);
  database.pragma("synchronous = NORMAL");
  parentPort.on("message", (message) => {
    if (message === "checkpoint") {
      try {
        database.pragma("wal_checkpoint(PASSIVE)");
      } catch {} // another process has it locked, or the disk is full: the next one moves more
      parentPort.postMessage("done");
    } else {
      database.close();
      parentPort.close();
    }
  });`;

const libsql = createRequire(import.meta.url).resolve("libsql");

export class Checkpoints {
  readonly #path: string;
  /** Started by the first checkpoint; without it, the other connection moves the log when it has become long. */
  #thread: Worker | undefined;
  #isFailed = false;
  #isBusy = false;
  #rows = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param path of the database; its file must be there once something is written */
  constructor(path: string) {
    this.#path = path;
  }

  /** @param rows that a transaction has changed */
  onWritten(rows: number): void {
    this.#rows += rows;
    if (this.#rows >= ROWS_PER_CHECKPOINT) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), DELAY_MS).unref();
  }

  /** Resolves when the thread has closed its connection. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#isFailed = true;
    if (!thread) return;
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    thread.ref();
    thread.postMessage("close");
    await ended;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isBusy || this.#isFailed) return;
    this.#isBusy = true;
    this.#rows = 0;
    this.#thread ??= this.#start();
    this.#thread.postMessage("checkpoint");
  }

  #start(): Worker {
    const thread = new Worker(THREAD, { eval: true, workerData: { path: this.#path, libsql } });
    thread.unref();
    thread.on("message", () => {
      this.#isBusy = false;
    });
    thread.on("error", () => {
      this.#isFailed = true; // such as a full disk: the other connection reports it
      this.#thread = undefined;
    });
    return thread;
  }
}
