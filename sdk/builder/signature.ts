/** Signatures of packages and modules: Ed25519 over the 32 bytes of the file's SHA-256, in hexadecimal. */
import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { SdkError } from "../sdk-error.js";

/**
 * @param file PEM
 * @throws {SdkError} `key_invalid` when there is no Ed25519 private key in it
 */
export function readSigningKey(file: string): KeyObject {
  return signingKeyIn(readFileSync(file, "utf8"), file);
}

/**
 * @param file where it is from
 * @throws {SdkError} `key_invalid`
 */
export function signingKeyIn(pem: string, file: string): KeyObject {
  const key = privateKeyIn(pem, file);
  if (key.asymmetricKeyType !== "ed25519")
    throw keyInvalid(file, `its key is of type ${key.asymmetricKeyType}, not ed25519`);
  return key;
}

function privateKeyIn(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw keyInvalid(file, whyNot(pem), cause);
  }
}

function keyInvalid(file: string, reason: string, cause?: unknown): SdkError {
  return new SdkError("key_invalid", `Cannot sign with "${file}": ${reason}`, {
    cause,
    advice: "`svc keygen --out DIR` creates a key pair; publisher.pem is the private key.",
  });
}

/**
 * OpenSSL would say that a decoder is not supported.
 * @param pem that holds no private key of use
 */
function whyNot(pem: string) {
  if (/-----BEGIN (PUBLIC KEY|CERTIFICATE)-----/.test(pem))
    return "it holds a public key, and signing takes the private one";
  if (pem.includes("-----BEGIN ENCRYPTED PRIVATE KEY-----")) return "its key is encrypted";
  return "it is not a PEM file with a private key";
}

/**
 * @param bytes of the file
 * @returns 128 hexadecimal digits
 */
export function signatureOf(bytes: Uint8Array, key: KeyObject): string {
  const digest = createHash("sha256").update(bytes).digest();
  return sign(null, digest, key).toString("hex");
}
