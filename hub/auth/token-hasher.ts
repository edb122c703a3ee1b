/** Hashes tokens: the hub never stores a token itself (docs/spec/hub-api.md#token-hash). */
import { createHmac } from "node:crypto";

export class TokenHasher {
  readonly #secret: string;

  /** @param secret `SVC_HUB_SECRET`: changing it invalidates every token */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** HMAC-SHA256 in hexadecimal. Equal hashes are found by the database: there is nothing to compare in constant time. */
  hash(token: string): string {
    return createHmac("sha256", this.#secret).update(token).digest("hex");
  }
}
