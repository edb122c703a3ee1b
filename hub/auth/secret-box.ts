/**
 * Seals texts that the hub itself needs again, unlike tokens: the secrets of webhooks in the database, and the state of a
 * sign-in in a cookie. They are encrypted with a key derived from `SVC_HUB_SECRET`, so that the database alone, or a backup
 * without the secret, reveals none, and any process of the hub opens what another one has sealed.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What secrets are for: each has a key of its own (RFC 5869 §3.2). */
export const WEBHOOK_SECRETS = "svc-hub webhook secrets";
export const SIGN_IN_COOKIES = "svc-hub sign-in cookies";

export class SecretBox {
  readonly #key: Uint8Array;

  /**
   * @param hubSecret `SVC_HUB_SECRET`
   * @param purpose what it seals, see above
   */
  constructor(hubSecret: string, purpose: string) {
    this.#key = new Uint8Array(hkdfSync("sha256", hubSecret, "", purpose, KEY_BYTES));
  }

  /** @param owner what the secret belongs to: it opens for that alone */
  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  }

  /** @throws {Error} if it was sealed with another hub's secret, for another owner, or was changed */
  open(stored: string, owner: string): string {
    const bytes = Buffer.from(stored, "base64");
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString("utf8");
  }
}
