/** One scan, which ends when the radio reports its end, or at a time-out. */

import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Wifi, WifiFound } from "../../ports/wifi.js";

/**
 * Networks that a scan tells of, the strongest: enough for a choice, and a house of flats has more
 * (docs/spec/wifi.md#scan).
 */
const FOUND_NETWORKS_LIMIT = 20;

/** A scan that takes longer ends with what it has found. All channels, 120 ms on each, are under 3 s. */
const SCAN_LIMIT_MS = 10_000;

// What a scan has found so far, the strongest first: one entry for each name, however many access points have it,
// and as many as {@link FOUND_NETWORKS_LIMIT}, however many there are.

export type FoundNetwork = {
  readonly ssid: string;
  /** Of the strongest access point. */
  readonly rssi: number;
  readonly channel: number;
  /** Whether it takes a password. */
  readonly secured: boolean;
};

export class FoundNetworks {
  readonly list: FoundNetwork[] = [];

  /** Networks that hide their names are left out. */
  add({ SSID, RSSI, channel, security }: WifiFound): void {
    if (SSID === "") return;
    const { list } = this;
    const known = list.findIndex(({ ssid }) => ssid === SSID);
    if (known >= 0) {
      if ((list[known] as FoundNetwork).rssi >= RSSI) return;
      list.splice(known, 1);
    }
    const weaker = list.findIndex(({ rssi }) => rssi < RSSI);
    const position = weaker < 0 ? list.length : weaker;
    if (position >= FOUND_NETWORKS_LIMIT) return;
    list.splice(position, 0, { ssid: SSID, rssi: RSSI, channel, secured: security !== "none" });
    list.length = Math.min(list.length, FOUND_NETWORKS_LIMIT);
  }
}

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
