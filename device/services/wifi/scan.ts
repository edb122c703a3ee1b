/** One scan, which ends when the radio reports completion, or after a timeout. */

import type { Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Wifi, WifiFound } from "../../ports/wifi.js";

/**
 * Networks that a scan reports, the strongest first: enough to choose from; an apartment building has more
 * (docs/spec/wifi.md#scan).
 */
const FOUND_NETWORKS_LIMIT = 20;

/** A scan that takes longer ends with the networks found so far. All channels at 120 ms each take under 3 s. */
const SCAN_LIMIT_MS = 10_000;

// The networks found so far, the strongest first: one entry per name, even if several access points share it, and at
// most {@link FOUND_NETWORKS_LIMIT} entries.

export type FoundNetwork = {
  readonly ssid: string;
  /** Signal strength of the strongest access point. */
  readonly rssi: number;
  readonly channel: number;
  /** Whether the network requires a password. */
  readonly secured: boolean;
};

/** Result of a scan. */
export interface Found {
  readonly networks: readonly FoundNetwork[];
  /** Whether weaker networks were left out. */
  readonly hasMore: boolean;
}

export class FoundNetworks implements Found {
  readonly networks: FoundNetwork[] = [];
  hasMore = false;

  /** Adds an access point; ignores networks that hide their names. */
  add({ SSID, RSSI, channel, security }: WifiFound): void {
    if (SSID === "") return;
    const list = this.networks;
    const known = list.findIndex(({ ssid }) => ssid === SSID);
    if (known >= 0) {
      if ((list[known] as FoundNetwork).rssi >= RSSI) return;
      list.splice(known, 1);
    }
    const weaker = list.findIndex(({ rssi }) => rssi < RSSI);
    const position = weaker < 0 ? list.length : weaker;
    list.splice(position, 0, { ssid: SSID, rssi: RSSI, channel, secured: security !== "none" });
    if (list.length <= FOUND_NETWORKS_LIMIT) return;
    list.length = FOUND_NETWORKS_LIMIT;
    this.hasMore = true;
  }
}

export class Scan {
  readonly #found = new FoundNetworks();
  readonly #timer: Timer;
  readonly #limit: TimerHandle;
  #onEnd: ((found: Found) => void) | undefined;

  /**
   * @param onEnd called once, never from this constructor
   * @throws {Error} if the radio throws
   */
  constructor(wifi: Wifi, timer: Timer, onEnd: (found: Found) => void) {
    wifi.scan({ onFound: (found) => this.#found.add(found), onComplete: () => this.#end() });
    this.#timer = timer;
    this.#onEnd = onEnd;
    this.#limit = timer.set(() => this.#end(), SCAN_LIMIT_MS);
  }

  /** Cancels the scan: `onEnd` is not called any more. */
  close(): void {
    this.#timer.clear(this.#limit);
    this.#onEnd = undefined;
  }

  #end(): void {
    const onEnd = this.#onEnd;
    this.close();
    onEnd?.(this.#found);
  }
}
