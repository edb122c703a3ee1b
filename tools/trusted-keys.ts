/**
 * The keys whose packages a console takes. To a board its firmware brings them; here they come from
 * `--trusted-keys`, or from a development key pair that a first start makes.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { readTrustedKeys } from "../protocol/keys/trusted-keys.js";
import { nobleEd25519 } from "../protocol/noble/noble-ed25519.js";
import { makeDevelopmentKeys } from "./development-keys.js";
import { explainFailure } from "./explain-failure.js";
import { NodeDigest, nodeBase64 } from "./node-bytes.js";
import { replaceFile } from "./replace-file.js";

/** In the state directory: what the console reads, and the SHA-256 of what was installed there last. */
const TRUSTED_KEYS = "lfs/hub/trusted_keys.pem";
const LAST_DIGEST = "trusted-keys.sha256";

/**
 * Keys are installed as an image is flashed: a file that was the last to be installed is not installed again, so
 * that the keys of firmware which was confirmed meanwhile stay.
 * @param state directory of the console
 * @param file PEM to install; `undefined` for whatever is there already
 * @returns what to tell the user
 * @throws {Error} when `file` cannot be read or holds no keys
 */
export async function provideTrustedKeys(
  state: string,
  file: string | undefined,
): Promise<string | undefined> {
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

async function install(state: string, pem: string): Promise<void> {
  // Gone while the keys are neither the old nor the new ones for sure: then the next start installs them again.
  rmSync(path.join(state, LAST_DIGEST), { force: true });
  await replaceFile(path.join(state, TRUSTED_KEYS), pem);
  await replaceFile(path.join(state, LAST_DIGEST), digestOf(pem));
}

/** Of what was installed last. */
function lastDigest(state: string): string | undefined {
  const file = path.join(state, LAST_DIGEST);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** A line. */
function digestOf(pem: string): string {
  return `${createHash("sha256").update(pem).digest("hex")}\n`;
}

/**
 * Reads a file of keys as a console reads it.
 * @param file PEM
 * @returns its text, and what in it is of no use
 * @throws {Error} when it cannot be read, or holds no key that a console trusts
 */
export async function checkTrustedKeys(file: string): Promise<{ pem: string; problems: readonly string[] }> {
  const pem = await explainFailure(`read "${file}"`, () => readFileSync(file, "utf8"));
  const { keys, problems } = await readTrustedKeys(pem, {
    ...{ base64: nodeBase64, Digest: NodeDigest, ed25519: nobleEd25519 },
    now: Date.now(),
  });
  if (keys.length > 0) return { pem, problems };
  const reasons = ["it holds no PUBLIC KEY and no CERTIFICATE that is of use", ...problems];
  throw new Error(`Cannot trust "${file}": ${reasons.join("; ")}`);
}
