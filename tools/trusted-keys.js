/**
 * The keys whose packages a console takes. To a board its firmware brings them; here they come from
 * `--trusted-keys`, or from a development key pair that a first start makes.
 */
import { createHash, generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { explainFailure } from "./explain-failure.js";
import { loadTypeScript } from "./load-typescript.js";
import { NodeDigest, nodeBase64 } from "./node-bytes.js";
import { replaceFile } from "./replace-file.js";

/** Of `npm start` as it is: what the examples are signed with, and the firmware of boards brings. */
export const DEVELOPMENT_KEYS = path.join(import.meta.dirname, "../.console/keys");

/** In the state directory: what the console reads, and the SHA-256 of what was installed there last. */
const TRUSTED_KEYS = "lfs/hub/trusted_keys.pem";
const LAST_DIGEST = "trusted-keys.sha256";

/**
 * Keys are installed as an image is flashed: a file that was the last to be installed is not installed again, so
 * that the keys of firmware which was confirmed meanwhile stay.
 *
 * @param {string} state directory of the console
 * @param {string | undefined} file PEM to install; `undefined` for whatever is there already
 * @returns {Promise<string | undefined>} what to tell the user
 * @throws {Error} when `file` cannot be read or holds no keys
 */
export async function provideTrustedKeys(state, file) {
  const isThere = existsSync(path.join(state, TRUSTED_KEYS));
  if (file !== undefined) {
    const { pem } = await checkTrustedKeys(file);
    if (!isThere || digestOf(pem) !== lastDigest(state)) await install(state, pem);
    return undefined;
  }
  if (isThere) return undefined;
  const publicKey = makeDevelopmentKeys(path.join(state, "keys"));
  await install(state, readFileSync(publicKey, "utf8"));
  return `trusting the development key ${publicKey}; sign with ${path.join(state, "keys/publisher.pem")}`;
}

/** @param {string} state @param {string} pem */
async function install(state, pem) {
  // Gone while the keys are neither the old nor the new ones for sure: then the next start installs them again.
  rmSync(path.join(state, LAST_DIGEST), { force: true });
  await replaceFile(path.join(state, TRUSTED_KEYS), pem);
  await replaceFile(path.join(state, LAST_DIGEST), digestOf(pem));
}

/** Of what was installed last. @param {string} state */
function lastDigest(state) {
  const file = path.join(state, LAST_DIGEST);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** A line. @param {string} pem */
function digestOf(pem) {
  return `${createHash("sha256").update(pem).digest("hex")}\n`;
}

/**
 * Reads a file of keys as a console reads it.
 *
 * @param {string} file PEM
 * @returns {Promise<{ pem: string, problems: readonly string[] }>} its text, and what in it is of no use
 * @throws {Error} when it cannot be read, or holds no key that a console trusts
 */
export async function checkTrustedKeys(file) {
  const pem = await explainFailure(`read "${file}"`, () => readFileSync(file, "utf8"));
  /** @type {typeof import("../protocol/keys/trusted-keys.ts") & typeof import("../protocol/noble/noble-ed25519.ts")} */
  const { readTrustedKeys, nobleEd25519 } = await loadTypeScript([
    "protocol/keys/trusted-keys.ts",
    "protocol/noble/noble-ed25519.ts",
  ]);
  const { keys, problems } = await readTrustedKeys(pem, {
    ...{ base64: nodeBase64, Digest: NodeDigest, ed25519: nobleEd25519 },
    now: Date.now(),
  });
  if (keys.length > 0) return { pem, problems };
  const reasons = ["it holds no PUBLIC KEY and no CERTIFICATE that is of use", ...problems];
  throw new Error(`Cannot trust "${file}": ${reasons.join("; ")}`);
}

/** It signs all that is made here; a key that says so has no warning in the boot log. */
const DEVELOPMENT_ROLES = "# roles: app, firmware, hub, native\n";

/**
 * Ed25519, PKCS #8 in `publisher.pem` and SPKI in `publisher.pub.pem`. A pair that is there is kept.
 *
 * @param {string} directory made where it is missing
 * @returns {string} file of the public key
 */
export function makeDevelopmentKeys(directory) {
  const publicFile = path.join(directory, "publisher.pub.pem");
  const privateFile = path.join(directory, "publisher.pem");
  if (existsSync(publicFile) && existsSync(privateFile)) return publicFile;
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(privateFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  writeFileSync(publicFile, `${DEVELOPMENT_ROLES}${publicKey.export({ type: "spki", format: "pem" })}`);
  return publicFile;
}
