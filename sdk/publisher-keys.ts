/**
 * Key pairs of publishers: creates them, reads the private key, and signs packages and modules. Ed25519, PKCS #8 in
 * `publisher.pem` and SPKI in `publisher.pub.pem`.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { explainFailure, makeDirectory } from "../tools/files.js";
import { SdkError } from "./sdk-error.js";

/** Hexadecimal digits of a key's label, as in consoles and `svc verify`. */
const LABEL_DIGITS = 16;

/**
 * Creates a key pair. Never replaces an existing one, since files signed with it could not be signed again.
 * @param directory created if missing, readable by its owner only
 * @param heading text before the public key, such as a roles line
 * @throws {SdkError} `key_exists`
 */
export async function makeKeyPair(
  directory: string,
  heading: string = "",
): Promise<{ privateFile: string; publicFile: string; label: string }> {
  const privateFile = path.join(directory, "publisher.pem");
  const publicFile = path.join(directory, "publisher.pub.pem");
  for (const file of [privateFile, publicFile]) requireMissing(file);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  await explainFailure(`write keys to "${directory}"`, async () => {
    await makeDirectory(directory, { mode: 0o700 });
    // "wx": of two concurrent calls, the second one fails.
    const asNew = { flag: "wx" };
    await writeFile(privateFile, privateKey.export({ type: "pkcs8", format: "pem" }), {
      ...asNew,
      mode: 0o600,
    });
    await writeFile(publicFile, `${heading}${publicKey.export({ type: "spki", format: "pem" })}`, asNew);
  });
  return { privateFile, publicFile, label: keyLabel(publicKey) };
}

function requireMissing(file: string): void {
  if (!existsSync(file)) return;
  throw new SdkError("key_exists", `Cannot create keys: "${file}" exists already`, {
    advice: "Choose another directory, or move the old keys away.",
  });
}

/**
 * @param key private or public
 * @returns the label: the first bytes of the public key in hexadecimal
 */
export function keyLabel(key: KeyObject): string {
  const { x = "" } = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  return Buffer.from(x, "base64url").toString("hex").slice(0, LABEL_DIGITS);
}

/**
 * @param file PEM
 * @throws {SdkError} `key_invalid` if it contains no Ed25519 private key
 */
export function readSigningKey(file: string): KeyObject {
  return signingKeyIn(readFileSync(file, "utf8"), file);
}

/**
 * @param file path, for the message
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
    throw keyInvalid(file, reasonOf(pem), cause);
  }
}

function keyInvalid(file: string, reason: string, cause?: unknown): SdkError {
  return new SdkError("key_invalid", `Cannot sign with "${file}": ${reason}`, {
    cause,
    advice: "`svc keygen --out DIR` creates a key pair; publisher.pem is the private key.",
  });
}

/**
 * Replaces OpenSSL's message, which is about an unsupported decoder.
 * @param pem contains no usable private key
 */
function reasonOf(pem: string) {
  if (/-----BEGIN (PUBLIC KEY|CERTIFICATE)-----/.test(pem))
    return "it contains a public key; signing requires the private key";
  if (pem.includes("-----BEGIN ENCRYPTED PRIVATE KEY-----")) return "its key is encrypted";
  return "it is not a PEM file with a private key";
}

/**
 * Signs a package or module: Ed25519 over the 32 bytes of the file's SHA-256.
 * @param bytes of the file
 * @returns 128 hexadecimal digits
 */
export function signatureOf(bytes: Uint8Array, key: KeyObject): string {
  const digest = createHash("sha256").update(bytes).digest();
  return sign(null, digest, key).toString("hex");
}
