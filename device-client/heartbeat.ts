/**
 * Evaluates heartbeats of a console: reports a slow answer early, and detects a restart behind a connection that
 * stayed open.
 */
import type { ClientClock } from "./clock.js";
import { SILENCE_MS } from "./limits.js";

/** Reports a late heartbeat answer long before the console counts as lost, so that users can see it. */
export class HeartbeatMonitor {
  readonly #clock: Pick<ClientClock, "set" | "clear">;
  readonly #onAnswering: (isAnswering: boolean) => void;
  #timer: ReturnType<ClientClock["set"]> | undefined;
  #isSilent = false;

  /**
   * @param onAnswering called with false when no answer has come for {@link SILENCE_MS}, and with true once it comes
   */
  constructor(clock: Pick<ClientClock, "set" | "clear">, onAnswering: (isAnswering: boolean) => void) {
    this.#clock = clock;
    this.#onAnswering = onAnswering;
  }

  /** A heartbeat has been sent. */
  begin(): void {
    this.#clock.clear(this.#timer);
    this.#timer = this.#clock.set(() => this.#report(true), SILENCE_MS);
  }

  /** The heartbeat was answered or abandoned. */
  end(): void {
    this.#clock.clear(this.#timer);
    if (this.#isSilent) this.#report(false);
  }

  #report(isSilent: boolean): void {
    this.#isSilent = isSilent;
    this.#onAnswering(!isSilent);
  }
}

/**
 * The console reads its clock after the request is sent and before its answer arrives, so its uptime grows by more than
 * the elapsed time that it is compared with. The tolerance covers the rounding to whole milliseconds. A restart faster
 * than this is missed: the simulated console restarts in 100 ms.
 */
const TOLERANCE_MS = 5;
/** Difference in speed of two clocks: one under NTP correction (0.05 %), one with a poor crystal. */
const DRIFT_SHARE = 0.002;

interface Observation {
  readonly uptimeMs: number;
  /** Uptime of the client's clock. */
  readonly atMs: number;
}

/**
 * Detects that a console has restarted behind a connection that stayed open: its uptime has grown by less than the
 * elapsed time. Comparing two uptimes alone would miss a console that restarts soon after its start.
 */
export class RestartDetector {
  readonly #clock: Pick<ClientClock, "uptimeMs">;
  #last: Observation | undefined;

  constructor(clock: Pick<ClientClock, "uptimeMs">) {
    this.#clock = clock;
  }

  /**
   * @param status body of `GET /api/status`; an invalid body is ignored
   * @param sentAtMs when the request was sent, by the client's clock
   * @returns whether the console has restarted since the previous call
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
