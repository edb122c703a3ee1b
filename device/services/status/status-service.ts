/** The console's status, as in `GET /api/status`, and notifications of its changes. */

import type { DeviceStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { NetworkInterface } from "../../ports/network.js";
import type { System } from "../../ports/system.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";
import type { Restart } from "../restart/restart.js";
import { type SystemInfoSources, systemInfo } from "./system-info.js";

// Detects changes of the joined network on hosts whose network does not report them: polls every few
// seconds, and only the address, since signal strength changes all the time.

/** Interval of the polls, and so the longest time until a change is detected. */
export const NETWORK_WATCH_INTERVAL_MS = 2000;

interface NetworkWatchOptions {
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
    this.#handle = options.timer.repeat(() => this.check(), NETWORK_WATCH_INTERVAL_MS);
  }

  close(): void {
    this.#options.timer.clear(this.#handle);
  }

  /** Checks now, for callers that know of a possible change. */
  check(): void {
    const found = addresses(this.#options.network);
    if (found === this.#known) return;
    this.#known = found;
    this.#options.onChange();
  }
}

function addresses({ address, addressIpv6 }: NetworkInterface): string {
  return `${address} ${addressIpv6 ?? ""}`;
}

interface StatusServiceOptions {
  readonly system: System;
  readonly network: NetworkInterface;
  readonly clock: Clock;
  readonly firmware: FirmwareFacts;
  /** Left out without Bluetooth. */
  readonly bluetooth?: { readonly mode: DeviceStatus["bt_mode"] } | undefined;
}

export class StatusService {
  readonly #options: StatusServiceOptions;
  readonly #subscribers = new Set<() => void>();

  constructor(options: StatusServiceOptions) {
    this.#options = options;
  }

  current(): DeviceStatus {
    const { bluetooth, clock, firmware, network, system } = this.#options;
    return {
      fw_version: firmware.version,
      codename: firmware.codename,
      uptime_ms: clock.uptimeMs(),
      free_heap_bytes: system.heap().freeBytes,
      wifi_ip: network.address,
      wifi_rssi: network.rssi,
      bt_mode: bluetooth ? bluetooth.mode : "off",
    };
  }

  /** Notifies all listeners that the status has changed. */
  changed(): void {
    for (const onChange of this.#subscribers) onChange();
  }

  /** @returns a function that ends the subscription */
  subscribe(onChange: () => void): () => void {
    this.#subscribers.add(onChange);
    return () => this.#subscribers.delete(onChange);
  }
}

// `GET /api/status`, `GET /api/system`, `POST /api/reboot` and `POST /api/reboot/loader`.

export function showStatus({ status }: { readonly status: StatusService }): JsonAnswer {
  return { status: 200, body: status.current() };
}

export function showSystem(services: SystemInfoSources, { request }: Call): JsonAnswer {
  return { status: 200, body: systemInfo(services, request.isOwner) };
}

export function reboot({ restart }: { readonly restart: Restart }): JsonAnswer {
  return restart.after({ status: 200, body: { rebooting: true } });
}

/** @throws {Fault} `not_implemented` */
export function rebootToLoader(services: { readonly restart: Restart; readonly system: System }): JsonAnswer {
  if (!services.system.selectLoader?.())
    throw new Fault("not_implemented", "This console cannot restart into a loader");
  return reboot(services);
}
