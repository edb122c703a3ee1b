/**
 * The publisher that signs the session's data, and that the board trusts. Its key is fixed, so that signatures are,
 * too; it is public and used for this session only.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

/** PKCS #8 of an Ed25519 key (RFC 8410 §7), up to its 32 bytes. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED = createHash("sha256").update("the publisher of the session on RV32IMAC").digest();

const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_HEAD, SEED]),
  format: "der",
  type: "pkcs8",
});

/** The public key as in the file of trusted keys. */
export const TRUSTED_KEYS = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();

/**
 * Signs a firmware bundle.
 * @returns 64 bytes
 */
export function signBytes(message: Uint8Array): Uint8Array {
  return Uint8Array.from(sign(null, message, privateKey));
}

/**
 * Signs an app: Ed25519 over the SHA-256 of the file.
 * @returns 128 hexadecimal digits
 */
export function signFile(file: Uint8Array): string {
  return Buffer.from(signBytes(createHash("sha256").update(file).digest())).toString("hex");
}
