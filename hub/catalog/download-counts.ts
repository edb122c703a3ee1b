/**
 * Counts downloads. A command to thousands of consoles makes them download at once, so counts that arrive during a
 * write are batched into the next one. A failed write loses its counts, which is acceptable for a statistic.
 */
import type { HubContext } from "../context.js";

export class DownloadCounts {
  readonly #context: Pick<HubContext, "database" | "logger">;
  /** Counts to be written next, by app. */
  #waiting = new Map<string, number>();
  #isWriting = false;

  constructor(context: Pick<HubContext, "database" | "logger">) {
    this.#context = context;
  }

  count(appId: string): void {
    this.#waiting.set(appId, (this.#waiting.get(appId) ?? 0) + 1);
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#waiting.size > 0) await this.#add(this.#take());
    } catch (error) {
      this.#context.logger.warn({ err: error }, "cannot count some downloads");
    } finally {
      this.#isWriting = false;
    }
  }

  #take(): ReadonlyMap<string, number> {
    const counts = this.#waiting;
    this.#waiting = new Map();
    return counts;
  }

  /** One statement per app: a statement for all could lock the rows in another order than a concurrent one. */
  async #add(counts: ReadonlyMap<string, number>): Promise<void> {
    for (const [appId, count] of counts)
      await this.#context.database
        .updateTable("apps")
        .set((app) => ({ downloads: app("downloads", "+", count) }))
        .where("id", "=", appId)
        .execute();
  }
}
