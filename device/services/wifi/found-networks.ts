/**
 * What a scan has found so far, the strongest first: one entry for each name, however many access points have it,
 * and as many as {@link FOUND_NETWORKS_LIMIT}, however many there are.
 */
import type { WifiFound } from "../../ports/wifi.js";
import { FOUND_NETWORKS_LIMIT } from "./limits.js";

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
