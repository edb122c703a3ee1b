/**
 * The push channel (document 2): WebSockets at `/ws/device/{device_token}`, one a device over all processes. Brings
 * each device what is pending for it, and its results to the book of commands.
 */
import type { Server } from "node:http";
import type { Catalog } from "../catalog/catalog.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import type { Devices } from "../devices/devices.js";
import type { Firmwares } from "../firmware/firmwares.js";

export interface PushChannelOptions extends HubContext {
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly devices: Devices;
  readonly firmwares: Firmwares;
}

export class PushChannel {
  readonly #options: PushChannelOptions;

  constructor(options: PushChannelOptions) {
    this.#options = options;
  }

  /** Connections of this process. */
  get connections(): number {
    return 0;
  }

  /** Takes the upgrades of a server. */
  attach(_server: Server): void {
    this.#options.logger.debug("no console is connected yet");
  }

  /** Says goodbye to every device, which reconnects elsewhere (1001). */
  async close(): Promise<void> {
    this.#options.logger.debug("no console was connected");
  }
}
