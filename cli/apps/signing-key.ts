/** Chooses the key to sign apps with: the named one, else the development key if `npm start` has made one. */
import type { KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { keyLabel, signingKeyIn } from "../../sdk/publisher-keys.js";
import { SdkError } from "../../sdk/sdk-error.js";
import { DEVELOPMENT_KEYS } from "../../tools/trusted-keys.js";
import type { Option } from "../command.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";

const PRIVATE_KEY = "publisher.pem";
/** Of a simulated console that runs in the directory where the user is, then that of this project. */
const DEVELOPMENT_FILES = Object.freeze([
  path.join(".console/keys", PRIVATE_KEY),
  path.join(DEVELOPMENT_KEYS, PRIVATE_KEY),
]);

export interface SigningKey {
  readonly file: string;
  /** Of its public half. */
  readonly label: string;
  readonly key: KeyObject;
}

/** What `--key` is for, where it may be left out. */
export const KEY_OPTION: Option = Object.freeze({
  name: "key",
  value: "PEM",
  summary: "sign with this Ed25519 private key; default: the development key in .console/keys",
  isFile: true,
});

/** Those that are there. */
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
