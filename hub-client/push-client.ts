/** One connection of the push channel (document 2; RFC 6455): from the handshake to its end. */
import type { Fault } from "../protocol/fault.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { DeviceMessage, HubMessage } from "../protocol/hub/push-messages.js";
import type { HubClientPorts } from "./ports.js";

/** Why a connection is no more, or has never been. */
export interface PushEnd {
  /** `hub_unreachable`, `hub_refused`, `unauthorized` …; `retry_after_s` among its details where the hub said so. */
  readonly fault: Fault;
  /** Of the hub's Close frame, where one came. */
  readonly closeCode?: number;
}

export interface PushClientOptions {
  readonly ports: HubClientPorts;
  readonly address: HubAddress;
  readonly deviceToken: string;
  onOpen(): void;
  onMessage(message: HubMessage): void;
  /** A message that is of no use was dropped. */
  onMalformed?(fault: Fault): void;
  /** Comes once, unless `close` was called before; nothing follows it. */
  onClosed(end: PushEnd): void;
}

export class PushClient {
  readonly #options: PushClientOptions;

  constructor(options: PushClientOptions) {
    this.#options = options;
  }

  /** @returns whether it was handed over: false while the channel is not open, or takes nothing more */
  send(_message: DeviceMessage): boolean {
    throw new Error(`not built ${this.#options}`);
  }

  /** Says goodbye where it is open (1001). May be called twice; no callback follows. */
  close(): void {
    throw new Error("not built");
  }
}
