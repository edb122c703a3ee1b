/** Rollouts: one version to many consoles, step by step, stopped by itself where too many fail. */
import type { Catalog } from "../catalog/catalog.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import type { Devices } from "../devices/devices.js";
import type { Firmwares } from "../firmware/firmwares.js";

export interface RolloutsOptions extends HubContext {
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly devices: Devices;
  readonly firmwares: Firmwares;
}

export class Rollouts {
  readonly #options: RolloutsOptions;

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  /** Goes on with what other processes, or runs before this one, have left. */
  start(): void {
    this.#options.logger.debug("no rollout is under way");
  }

  async close(): Promise<void> {
    this.#options.logger.debug("no rollout was under way");
  }
}
