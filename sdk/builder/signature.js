/** Signatures of packages and modules: Ed25519 over the 32 bytes of the file's SHA-256, in hexadecimal. */
import { createHash, createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { SdkError } from "../sdk-error.js";

/**
 * @param {string} file PEM
 * @returns {import("node:crypto").KeyObject}
 * @throws {SdkError} `key_invalid` when there is no Ed25519 private key in it
 */
export function readSigningKey(file) {
  return signingKeyIn(readFileSync(file, "utf8"), file);
}

/**
 * @param {string} pem
 * @param {string} file where it is from
 * @throws {SdkError} `key_invalid`
 */
export function signingKeyIn(pem, file) {
  const key = privateKeyIn(pem, file);
  if (key.asymmetricKeyType !== "ed25519")
    throw keyInvalid(file, `it holds a key of type ${key.asymmetricKeyType}, not ed25519`);
  return key;
}

/** @param {string} pem @param {string} file */
function privateKeyIn(pem, file) {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw keyInvalid(file, whyNot(pem), cause);
  }
}

/** @param {string} file @param {string} reason @param {unknown} [cause] */
function keyInvalid(file, reason, cause) {
  return new SdkError("key_invalid", `Cannot sign with "${file}": ${reason}`, {
    cause,
    advice: "`svc keygen --out DIR` makes a key pair; its publisher.pem is what signs.",
  });
}

/** OpenSSL would say that a decoder is not supported. @param {string} pem that holds no private key of use */
function whyNot(pem) {
  if (/-----BEGIN (PUBLIC KEY|CERTIFICATE)-----/.test(pem))
    return "it holds a public key, and signing takes the private one";
  if (pem.includes("-----BEGIN ENCRYPTED PRIVATE KEY-----")) return "its key is encrypted";
  return "it is no PEM file with a private key";
}

/**
 * @param {Uint8Array} bytes of the file
 * @param {import("node:crypto").KeyObject} key
 * @returns {string} 128 hexadecimal digits
 */
export function signatureOf(bytes, key) {
  const digest = createHash("sha256").update(bytes).digest();
  return sign(null, digest, key).toString("hex");
}
