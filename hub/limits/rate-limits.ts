/** How often somebody may do something, counted in the database, so that it holds over all processes. */
import type { HubContext } from "../context.js";

export class RateLimits {
  readonly #context: Pick<HubContext, "database" | "now">;

  constructor(context: Pick<HubContext, "database" | "now">) {
    this.#context = context;
  }

  /**
   * Counts one more.
   * @param key what is limited and by whom, such as `register 192.0.2.1`
   * @param perMinute how many are let through in a minute
   * @throws {Fault} `too_many_attempts` with `retry_after_s` in its details, which becomes `Retry-After`
   */
  take(_key: string, _perMinute: number): Promise<void> {
    throw new Error(`not built ${this.#context.now()}`);
  }
}
