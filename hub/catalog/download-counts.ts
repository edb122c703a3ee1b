/**
 * Counts downloads. When a command goes to thousands of consoles they all come at once: those that come while a
 * count is being written are written together with the next one.
 */
import type { Database } from "../database/schema.js";

export class DownloadCounts {
  readonly #database: Database;
  /** By app, what is to be written next. */
  #waiting = new Map<string, number>();
  /** Settles when what waits has been written; `undefined` while nothing does. */
  #next: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Settles once it has been counted. */
  count(appId: string): Promise<void> {
    this.#waiting.set(appId, (this.#waiting.get(appId) ?? 0) + 1);
    this.#next ??= this.#writing.then(() => this.#write());
    return this.#next;
  }

  #write(): Promise<void> {
    const counts = this.#waiting;
    this.#waiting = new Map();
    this.#next = undefined;
    const written = this.#add(counts);
    this.#writing = written.catch(() => {}); // told to those who wait for it, and nothing to those after them
    return written;
  }

  /** A statement an app: one for all would lock them in an order of its own, and wait for another that does. */
  async #add(counts: ReadonlyMap<string, number>): Promise<void> {
    for (const [appId, count] of counts)
      await this.#database
        .updateTable("apps")
        .set((app) => ({ downloads: app("downloads", "+", count) }))
        .where("id", "=", appId)
        .execute();
  }
}
