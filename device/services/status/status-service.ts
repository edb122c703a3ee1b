/** The console's state as `GET /api/status` shows it, and notifications of its changes. */
import type { DeviceStatus } from "../../../protocol/device/answers.js";
import type { Clock } from "../../../protocol/ports/timer.js";
import type { NetworkInterface } from "../../ports/network.js";
import type { System } from "../../ports/system.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";

export interface StatusServiceOptions {
  readonly system: System;
  readonly network: NetworkInterface;
  readonly clock: Clock;
  readonly firmware: FirmwareFacts;
}

export class StatusService {
  readonly #options: StatusServiceOptions;
  readonly #subscribers = new Set<() => void>();

  constructor(options: StatusServiceOptions) {
    this.#options = options;
  }

  current(): DeviceStatus {
    const { clock, firmware, network, system } = this.#options;
    return {
      fw_version: firmware.version,
      codename: firmware.codename,
      uptime_ms: clock.uptimeMs(),
      free_heap_bytes: system.heap().freeBytes,
      wifi_ip: network.address,
      wifi_rssi: network.rssi,
      bt_mode: "off",
    };
  }

  /** Notifies all listeners that the status has changed. */
  changed(): void {
    for (const onChange of this.#subscribers) onChange();
  }

  /** @returns what ends the subscription */
  subscribe(onChange: () => void): () => void {
    this.#subscribers.add(onChange);
    return () => this.#subscribers.delete(onChange);
  }
}
