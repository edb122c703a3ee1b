/** Reads the public keys that commands get as arguments: from a key file or a certificate. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { SvcError } from "../svc-error.js";

/**
 * @param file PEM of a public key or of a certificate
 * @param use such as "as the new key", for the message
 * @throws {SvcError} `key_invalid`
 */
export async function readPublicKey(file: string, use: string): Promise<KeyObject> {
  const pem = (await readInput(file, TEXT_FILE_LIMIT_BYTES)).toString("utf8");
  const key = publicKeyIn(pem, file, use);
  if (key.asymmetricKeyType !== "ed25519")
    throw keyInvalid(file, use, `its key is of type ${key.asymmetricKeyType}, not ed25519`);
  return key;
}

function publicKeyIn(pem: string, file: string, use: string): KeyObject {
  // Node would take the public half of a private key, which has no business where public keys are named.
  if (pem.includes("PRIVATE KEY-----")) throw keyInvalid(file, use, "it contains a private key");
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw keyInvalid(file, use, "it is not a PEM file with a public key or certificate", cause);
  }
}

function keyInvalid(file: string, use: string, reason: string, cause?: unknown): SvcError {
  return new SvcError("key_invalid", `Cannot use "${file}" ${use}: ${reason}`, {
    cause,
    advice: "`svc keygen --out DIR` creates a key pair; publisher.pub.pem is the public key.",
  });
}

/**
 * @param key public
 * @returns 32 bytes
 */
export function keyBytes(key: KeyObject): Uint8Array {
  const { x = "" } = key.export({ format: "jwk" });
  return new Uint8Array(Buffer.from(x, "base64url"));
}
