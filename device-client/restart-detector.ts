/**
 * Detects that a console has restarted behind a connection that stayed open: its uptime has grown by less than the
 * elapsed time. Comparing two uptimes alone would miss a console that restarts soon after its start.
 */
import type { ClientClock } from "./clock.js";

/**
 * The console looks at its clock after the request was sent and before its answer has come, so that its uptime grows by
 * more than what is compared with it; what is allowed for is that it is in whole milliseconds. A restart is missed where
 * it takes no longer than this: the simulated console is back in 100 ms.
 */
const TOLERANCE_MS = 5;
/** Between two clocks of which one is just being set right (NTP moves them by 0.05 %) and one has a poor crystal. */
const DRIFT_SHARE = 0.002;

interface Observation {
  readonly uptimeMs: number;
  /** By the clock of the client. */
  readonly atMs: number;
}

export class RestartDetector {
  readonly #clock: Pick<ClientClock, "uptimeMs">;
  #last: Observation | undefined;

  constructor(clock: Pick<ClientClock, "uptimeMs">) {
    this.#clock = clock;
  }

  /**
   * @param status body of `GET /api/status`; one that is none says nothing
   * @param sentAtMs when it was asked for
   * @returns whether the console has restarted since the last one
   */
  hasRestarted(status: unknown, sentAtMs: number): boolean {
    const { uptime_ms } = Object(status);
    if (typeof uptime_ms !== "number") return false;
    const last = this.#last;
    this.#last = { uptimeMs: uptime_ms, atMs: this.#clock.uptimeMs() };
    if (!last) return false;
    const passedMs = Math.max(0, sentAtMs - last.atMs);
    return uptime_ms - last.uptimeMs < passedMs * (1 - DRIFT_SHARE) - TOLERANCE_MS;
  }
}
