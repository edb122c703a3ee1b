/** Publishers and their keys: made by the operator, never over the network (section 13 of the decisions). */
import type { HubContext } from "../context.js";

export class Publishers {
  readonly #context: Pick<HubContext, "database" | "hasher" | "now">;

  constructor(context: Pick<HubContext, "database" | "hasher" | "now">) {
    this.#context = context;
  }

  /**
   * Whether a signature over a package's SHA-256 is that of a key of the publisher which has not been revoked.
   * @param signature 128 hexadecimal digits
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  requireSignature(_publisherId: string, _sha256: Uint8Array, _signature: string | undefined): Promise<void> {
    throw new Error(`not built ${this.#context.now()}`);
  }

  /** Public keys of the publisher that have not been revoked, of 32 bytes each. */
  keys(_publisherId: string): Promise<readonly Uint8Array[]> {
    throw new Error("not built");
  }
}
