/**
 * Counts downloads, at most ten times a second: a command to thousands of consoles makes them download at once. A failed
 * write loses its counts, which is acceptable for a statistic.
 */

import { Batch } from "../batch.js";
import type { HubContext } from "../context.js";

const DELAY_MS = 100;
const BATCH_LIMIT = 10_000;

export class DownloadCounts {
  readonly #context: Pick<HubContext, "database" | "logger">;
  /** The apps that were downloaded, each as often as it was. */
  readonly #downloads: Batch<string>;

  constructor(context: Pick<HubContext, "database" | "logger">) {
    this.#context = context;
    this.#downloads = new Batch({
      limit: BATCH_LIMIT,
      delayMs: DELAY_MS,
      write: (appIds) => this.#write(appIds),
      onFailed: (appIds, error) =>
        context.logger.warn({ err: error, downloads: appIds.length }, "cannot count some downloads"),
    });
  }

  count(appId: string): void {
    this.#downloads.add(appId);
  }

  /** Resolves when all downloads are counted, or could not be. */
  close(): Promise<void> {
    return this.#downloads.drain();
  }

  /** One statement per app: a statement for all could lock the rows in another order than a concurrent one. */
  async #write(appIds: readonly string[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const appId of appIds) counts.set(appId, (counts.get(appId) ?? 0) + 1);
    for (const [appId, count] of counts)
      await this.#context.database
        .updateTable("apps")
        .set((app) => ({ downloads: app("downloads", "+", count) }))
        .where("id", "=", appId)
        .execute();
  }
}
