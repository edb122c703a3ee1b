/** The registry of consoles: registration, claiming, and what is known of each. */
import type { Caller } from "../auth/caller.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";

export class Devices {
  readonly #context: HubContext;

  constructor(context: HubContext) {
    this.#context = context;
  }

  /**
   * The device that a path is about.
   * @param deviceId `me` for the device that asks, else the id of one that the asking account holds
   * @throws {Fault} `forbidden` for another kind of caller; `device_not_found` also for one that somebody else holds
   */
  ofCaller(_caller: Caller | undefined, _deviceId: string): Promise<Row<"devices">> {
    throw new Error(`not built ${this.#context.processId}`);
  }
}
