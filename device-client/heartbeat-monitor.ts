/** Reports a late heartbeat answer long before the console counts as lost, so that users can see it. */
import type { ClientClock } from "./clock.js";
import { SILENCE_MS } from "./limits.js";

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
