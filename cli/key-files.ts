/**
 * Reads key files: private keys to sign with (the named one, else the development key of `npm start`), and public
 * keys or certificates in arguments.
 */
import { createPublicKey, type KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { keyLabel, signingKeyIn } from "../sdk/publisher-keys.js";
import { SdkError } from "../sdk/sdk-error.js";
import { DEVELOPMENT_KEYS } from "../tools/trusted-keys.js";
import type { Option } from "./command.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "./files.js";
import { SvcError } from "./svc-error.js";

const PRIVATE_KEY = "publisher.pem";
/** Key of a simulated console in the current directory, then that of this project. */
const DEVELOPMENT_FILES = Object.freeze([
  path.join(".console/keys", PRIVATE_KEY),
  path.join(DEVELOPMENT_KEYS, PRIVATE_KEY),
]);

export interface SigningKey {
  readonly file: string;
  /** Label of the public key. */
  readonly label: string;
  readonly key: KeyObject;
}

/** The optional `--key`. */
export const KEY_OPTION: Option = Object.freeze({
  name: "key",
  value: "PEM",
  summary: "sign with this Ed25519 private key; default: the development key in .console/keys",
  isFile: true,
});

/** @returns the existing development keys */
export function developmentKeyFiles(): readonly string[] {
  return DEVELOPMENT_FILES.filter((candidate) => existsSync(candidate));
}

/** @throws {SdkError} `key_missing` */
export async function signingKey(named: string | undefined): Promise<SigningKey> {
  const file = named ?? developmentKeyFiles()[0];
  if (file === undefined)
    throw new SdkError("key_missing", "Cannot sign: --key is missing, and there is no development key", {
      advice:
        "Name a key with --key; create one with `svc keygen --out DIR`. `npm start` creates the development key.",
    });
  const key = await readKey(file);
  return { file, key, label: keyLabel(key) };
}

/**
 * @param file PEM
 * @throws {Error} `file_not_found`, `file_unreadable`, `key_invalid`
 */
export async function readKey(file: string): Promise<KeyObject> {
  return signingKeyIn((await readInput(file, TEXT_FILE_LIMIT_BYTES)).toString("utf8"), file);
}

/**
 * @param file PEM of a public key or of a certificate
 * @param use purpose for the message, such as "as the new key"
 * @throws {SvcError} `key_invalid`
 */
export async function readPublicKey(file: string, use: string): Promise<KeyObject> {
  const pem = (await readInput(file, TEXT_FILE_LIMIT_BYTES)).toString("utf8");
  const key = publicKeyIn(pem, file, use);
  if (key.asymmetricKeyType !== "ed25519")
    throw publicKeyInvalid(file, use, `its key is of type ${key.asymmetricKeyType}, not ed25519`);
  return key;
}

function publicKeyIn(pem: string, file: string, use: string): KeyObject {
  // Node would accept a private key and derive the public one, but a private key must not be passed around.
  if (pem.includes("PRIVATE KEY-----")) throw publicKeyInvalid(file, use, "it contains a private key");
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw publicKeyInvalid(file, use, "it is not a PEM file with a public key or certificate", cause);
  }
}

function publicKeyInvalid(file: string, use: string, reason: string, cause?: unknown): SvcError {
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
