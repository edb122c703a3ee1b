/** Keeps a console connected to its hub: registers, connects, and does so again whenever that ends. */
import type { Fault } from "../protocol/fault.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { DeviceMessage, HubMessage } from "../protocol/hub/push-messages.js";
import type { HubClientPorts } from "./ports.js";
import type { ConsoleIdentity, Registration } from "./registration.js";

export interface HubLinkOptions {
  readonly ports: HubClientPorts;
  readonly address: HubAddress;
  /** Whether this hub knows the console already; else it registers first. */
  readonly isRegistered: boolean;
  /** Asked for at each registration. */
  identity(): ConsoleIdentity;
  onRegistered(registration: Registration): void;
  onOpen(): void;
  onMessage(message: HubMessage): void;
  /** The channel was open and is no more. */
  onClosed(fault: Fault): void;
  /** Something has failed and is tried again after `retryMs`; for the log. Comes after `onClosed` too. */
  onRetry(fault: Fault, retryMs: number): void;
  /** A message that is of no use was dropped; for the log. */
  onMalformed(fault: Fault): void;
}

/** Starts by itself. No callback runs inside of its methods, and none after `close`. */
export class HubLink {
  readonly #options: HubLinkOptions;

  constructor(options: HubLinkOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    throw new Error(`not built ${this.#options}`);
  }

  /** @returns whether it was handed over: false while the channel is not open, or takes nothing more */
  send(_message: DeviceMessage): boolean {
    throw new Error("not built");
  }

  /** Ends a wait, for instance when a network was joined. */
  retryNow(): void {
    throw new Error("not built");
  }

  /** Registers anew and reconnects, whatever it is at. */
  registerAgain(): void {
    throw new Error("not built");
  }

  /** Stops everything. May be called twice. */
  close(): void {
    throw new Error("not built");
  }
}
