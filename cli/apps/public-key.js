/** Reads the public keys that commands get as arguments: from a key file or a certificate. */
import { createPublicKey } from "node:crypto";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { SvcError } from "../svc-error.js";

/** @typedef {import("node:crypto").KeyObject} KeyObject */

/**
 * @param {string} file PEM of a public key or of a certificate
 * @param {string} use such as "as the new key", for the message
 * @throws {SvcError} `key_invalid`
 */
export async function readPublicKey(file, use) {
  const pem = (await readInput(file, TEXT_FILE_LIMIT_BYTES)).toString("utf8");
  const key = publicKeyIn(pem, file, use);
  if (key.asymmetricKeyType !== "ed25519")
    throw keyInvalid(file, use, `it holds a key of type ${key.asymmetricKeyType}, not ed25519`);
  return key;
}

/** @param {string} pem @param {string} file @param {string} use */
function publicKeyIn(pem, file, use) {
  // Node would take the public half of a private key, which has no business where public keys are named.
  if (pem.includes("PRIVATE KEY-----")) throw keyInvalid(file, use, "it holds a private key");
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw keyInvalid(file, use, "it is no PEM file with a public key or a certificate", cause);
  }
}

/** @param {string} file @param {string} use @param {string} reason @param {unknown} [cause] */
function keyInvalid(file, use, reason, cause) {
  return new SvcError("key_invalid", `Cannot use "${file}" ${use}: ${reason}`, {
    cause,
    advice: "`svc keygen --out DIR` makes a key pair; its publisher.pub.pem is the public half.",
  });
}

/** @param {KeyObject} key public @returns {Uint8Array} 32 bytes */
export function keyBytes(key) {
  const { x = "" } = key.export({ format: "jwk" });
  return new Uint8Array(Buffer.from(x, "base64url"));
}
