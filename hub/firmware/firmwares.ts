/** Firmware that publishers have brought, by architecture and version. */
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import type { Publishers } from "../publishers/publishers.js";

export interface FirmwaresOptions extends HubContext {
  readonly publishers: Publishers;
}

export class Firmwares {
  readonly #options: FirmwaresOptions;

  constructor(options: FirmwaresOptions) {
    this.#options = options;
  }

  /**
   * @param version the newest when left out
   * @throws {Fault} `firmware_not_found`
   */
  require(_arch: string, _version?: string): Promise<Row<"firmware">> {
    throw new Error(`not built ${this.#options.processId}`);
  }

  /** The signature in the bundle as the hub serves it: its publisher's, or the hub's own. 128 hexadecimal digits. */
  servedSignature(_firmware: Row<"firmware">): Promise<string> {
    throw new Error("not built");
  }
}
