/** Chooses the key to sign apps with: the named one, else the development key if `npm start` has made one. */
import { existsSync } from "node:fs";
import path from "node:path";
import { signingKeyIn } from "../../sdk/builder/signature.js";
import { keyLabel } from "../../sdk/publisher-keys.js";
import { SdkError } from "../../sdk/sdk-error.js";
import { DEVELOPMENT_KEYS } from "../../tools/trusted-keys.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";

const PRIVATE_KEY = "publisher.pem";
/** Of a simulated console that runs in the directory where the user is, then that of this project. */
const DEVELOPMENT_FILES = Object.freeze([
  path.join(".console/keys", PRIVATE_KEY),
  path.join(DEVELOPMENT_KEYS, PRIVATE_KEY),
]);

/**
 * @typedef {object} SigningKey
 * @property {string} file
 * @property {string} label of its public half
 * @property {import("node:crypto").KeyObject} key
 */

/** What `--key` is for, where it may be left out. @type {import("../command.js").Option} */
export const KEY_OPTION = Object.freeze({
  name: "key",
  value: "PEM",
  summary: "file of the Ed25519 private key to sign with; by default the development key in .console/keys",
  isFile: true,
});

/** Those that are there. @returns {readonly string[]} */
export function developmentKeyFiles() {
  return DEVELOPMENT_FILES.filter((candidate) => existsSync(candidate));
}

/** @param {string | undefined} named @returns {Promise<SigningKey>} @throws {SdkError} `key_missing` */
export async function signingKey(named) {
  const file = named ?? developmentKeyFiles()[0];
  if (file === undefined)
    throw new SdkError("key_missing", "Cannot sign: no key was named, and there is no development key", {
      advice: "Name one with --key; `svc keygen --out DIR` makes one. `npm start` makes the development key.",
    });
  const key = await readKey(file);
  return { file, key, label: keyLabel(key) };
}

/** @param {string} file PEM @throws {Error} `file_not_found`, `file_unreadable`, `key_invalid` */
export async function readKey(file) {
  return signingKeyIn((await readInput(file, TEXT_FILE_LIMIT_BYTES)).toString("utf8"), file);
}
