/**
 * Secrets of webhooks as the database stores them. Unlike a token, the hub needs the secret itself, to sign with it: it is
 * encrypted with a key derived from `SVC_HUB_SECRET`, so that the database alone, or a backup without the secret, reveals
 * none.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Separates this key from other uses of the hub's secret (RFC 5869 §3.2). */
const PURPOSE = "svc-hub webhook secrets";

export class SecretBox {
  readonly #key: Uint8Array;

  /** @param hubSecret `SVC_HUB_SECRET` */
  constructor(hubSecret: string) {
    this.#key = new Uint8Array(hkdfSync("sha256", hubSecret, "", PURPOSE, KEY_BYTES));
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
