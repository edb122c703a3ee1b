/** One scan, which ends when the radio reports its end, or at a time-out. */
import type { Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import type { Wifi } from "../../ports/wifi.js";
import { type FoundNetwork, FoundNetworks } from "./found-networks.js";
import { SCAN_LIMIT_MS } from "./limits.js";

export class Scan {
  readonly #found = new FoundNetworks();
  readonly #timer: Timer;
  readonly #limit: TimerHandle;
  #onEnd: ((networks: readonly FoundNetwork[]) => void) | undefined;

  /**
   * @param onEnd called once, never from in here
   * @throws {Error} where the radio does
   */
  constructor(wifi: Wifi, timer: Timer, onEnd: (networks: readonly FoundNetwork[]) => void) {
    wifi.scan({ onFound: (found) => this.#found.add(found), onComplete: () => this.#end() });
    this.#timer = timer;
    this.#onEnd = onEnd;
    this.#limit = timer.set(() => this.#end(), SCAN_LIMIT_MS);
  }

  /** Nothing follows. */
  close(): void {
    this.#timer.clear(this.#limit);
    this.#onEnd = undefined;
  }

  #end(): void {
    const onEnd = this.#onEnd;
    this.close();
    onEnd?.(this.#found.list);
  }
}
