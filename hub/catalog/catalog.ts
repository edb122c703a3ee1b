/** The catalogue of apps. */
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import type { Publishers } from "../publishers/publishers.js";

export interface CatalogOptions extends HubContext {
  readonly publishers: Publishers;
}

export class Catalog {
  readonly #options: CatalogOptions;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /**
   * A version that can be installed.
   * @param version the newest when left out
   * @throws {Fault} `app_not_found`, `app_retracted`, `version_not_found`
   */
  requireVersion(_appId: string, _version?: string): Promise<Row<"app_versions">> {
    throw new Error(`not built ${this.#options.processId}`);
  }
}
