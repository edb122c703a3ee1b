/**
 * Rate limits in windows of a minute, counted in the database so that they hold across all processes. Each count is one
 * statement; the first one of a process in a window deletes the expired windows.
 */
import { sql } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { HubContext } from "../context.js";

const WINDOW_MS = 60_000;

export class RateLimits {
  readonly #context: Pick<HubContext, "database" | "now">;
  #cleanedWindowAt = 0;

  constructor(context: Pick<HubContext, "database" | "now">) {
    this.#context = context;
  }

  /**
   * Counts one attempt.
   * @param key the action and the caller, such as `register 192.0.2.1`
   * @param perMinute the attempts allowed per minute
   * @throws {Fault} `too_many_attempts` with `retry_after_s` in its details, which becomes `Retry-After`
   */
  async consume(key: string, perMinute: number): Promise<void> {
    const now = this.#context.now();
    const windowAt = now - (now % WINDOW_MS);
    const count = await this.#count(key, windowAt);
    await this.#deleteExpired(windowAt);
    if (count > perMinute) throw tooMany(perMinute, windowAt + WINDOW_MS - now);
  }

  /**
   * Checks a limit on failures, and counts nothing: each failure is counted by `consume`. What is in progress at the same time
   * can exceed the limit.
   * @param keys as of `consume`
   * @throws {Fault} `too_many_attempts`
   */
  async check(keys: readonly string[], perMinute: number): Promise<void> {
    const now = this.#context.now();
    const windowAt = now - (now % WINDOW_MS);
    const full = await this.#context.database
      .selectFrom("rate_limits")
      .select("key")
      .where("key", "in", keys)
      .where("window_at", "=", windowAt)
      .where("count", ">=", perMinute)
      .executeTakeFirst();
    if (full) throw tooMany(perMinute, windowAt + WINDOW_MS - now);
  }

  async #count(key: string, windowAt: number): Promise<number> {
    const { count } = await this.#context.database
      .insertInto("rate_limits")
      .values({ key, window_at: windowAt, count: 1 })
      .onConflict((conflict) =>
        conflict.columns(["key", "window_at"]).doUpdateSet({ count: sql`rate_limits.count + 1` }),
      )
      .returning("count")
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Keeps one more window than needed, since the clocks of machines differ slightly. */
  async #deleteExpired(windowAt: number): Promise<void> {
    if (this.#cleanedWindowAt === windowAt) return;
    this.#cleanedWindowAt = windowAt;
    await this.#context.database
      .deleteFrom("rate_limits")
      .where("window_at", "<", windowAt - WINDOW_MS)
      .execute();
  }
}

function tooMany(perMinute: number, leftMs: number): Fault {
  const seconds = Math.ceil(leftMs / 1000);
  return new Fault("too_many_attempts", `Cannot do this more than ${perMinute} times a minute`, {
    details: { retry_after_s: seconds },
  });
}
