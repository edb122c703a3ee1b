/**
 * Detects changes of the joined network on hosts whose network does not report them: polls every few
 * seconds, and only the address, since signal strength changes all the time.
 */

import type { Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import type { NetworkInterface } from "../../ports/network.js";

/** How long a change may go unnoticed. */
export const NETWORK_WATCH_INTERVAL_MS = 2000;

export interface NetworkWatchOptions {
  readonly network: NetworkInterface;
  readonly timer: Timer;
  /** The network has been joined, left, or given another address. */
  onChange(): void;
}

export class NetworkWatch {
  readonly #options: NetworkWatchOptions;
  readonly #handle: TimerHandle;
  #known: string;

  constructor(options: NetworkWatchOptions) {
    this.#options = options;
    this.#known = addresses(options.network);
    this.#handle = options.timer.repeat(() => this.look(), NETWORK_WATCH_INTERVAL_MS);
  }

  close(): void {
    this.#options.timer.clear(this.#handle);
  }

  /** Checks now, for callers that know of a possible change. */
  look(): void {
    const found = addresses(this.#options.network);
    if (found === this.#known) return;
    this.#known = found;
    this.#options.onChange();
  }
}

function addresses({ address, addressIpv6 }: NetworkInterface): string {
  return `${address} ${addressIpv6 ?? ""}`;
}
