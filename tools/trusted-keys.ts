/**
 * The keys whose packages a simulated console accepts: from `--trusted-keys`, or a development key pair that the
 * first start creates. On a board, the firmware contains them.
 */
import { createHash, generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readTrustedKeys } from "../protocol/keys/trusted-keys.js";
import { nobleEd25519 } from "../protocol/noble/noble-ed25519.js";
import { explainFailure, replaceFile } from "./files.js";
import { NodeDigest, nodeBase64 } from "./node-bytes.js";

/** In the state directory: the file that the console reads, and the SHA-256 of the file installed last. */
const TRUSTED_KEYS = "lfs/hub/trusted_keys.pem";
const LAST_DIGEST = "trusted-keys.sha256";

/**
 * Installs keys once, as flashing an image does: skips the file that was installed last, so that keys from firmware
 * confirmed since then stay.
 * @param state directory of the console
 * @param file PEM to install; `undefined` keeps the present keys
 * @returns message for the user
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
  // Removed during the replacement: after an interruption the next start installs the keys again.
  rmSync(path.join(state, LAST_DIGEST), { force: true });
  await replaceFile(path.join(state, TRUSTED_KEYS), pem);
  await replaceFile(path.join(state, LAST_DIGEST), digestOf(pem));
}

/** Digest of the file installed last. */
function lastDigest(state: string): string | undefined {
  const file = path.join(state, LAST_DIGEST);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** One line of text. */
function digestOf(pem: string): string {
  return `${createHash("sha256").update(pem).digest("hex")}\n`;
}

/**
 * Reads a file of keys as a console does.
 * @param file PEM
 * @returns its text, and its unusable parts
 * @throws {Error} if it cannot be read, or contains no key that a console trusts
 */
export async function checkTrustedKeys(file: string): Promise<{ pem: string; problems: readonly string[] }> {
  const pem = await explainFailure(`read "${file}"`, () => readFileSync(file, "utf8"));
  const { keys, problems } = await readTrustedKeys(pem, {
    base64: nodeBase64,
    Digest: NodeDigest,
    ed25519: nobleEd25519,
    now: Date.now(),
  });
  if (keys.length > 0) return { pem, problems };
  const reasons = ["it contains no PUBLIC KEY and no CERTIFICATE that is usable", ...problems];
  throw new Error(`Cannot trust "${file}": ${reasons.join("; ")}`);
}

/** Keys of `npm start` in this project: they sign the examples, and development firmware for boards trusts them. */
export const DEVELOPMENT_KEYS = path.join(import.meta.dirname, "../.console/keys");

/** The key signs everything; with explicit roles, the boot log has no warning about it. */
const DEVELOPMENT_ROLES = "# roles: app, firmware, hub, native\n";

/**
 * Creates an Ed25519 key pair: PKCS #8 in `publisher.pem`, SPKI in `publisher.pub.pem`. Keeps an existing pair.
 * @param directory created if missing
 * @returns path of the public key
 */
export function makeDevelopmentKeys(directory: string): string {
  const publicFile = path.join(directory, "publisher.pub.pem");
  const privateFile = path.join(directory, "publisher.pem");
  if (existsSync(publicFile) && existsSync(privateFile)) return publicFile;
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(privateFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  writeFileSync(publicFile, `${DEVELOPMENT_ROLES}${publicKey.export({ type: "spki", format: "pem" })}`);
  return publicFile;
}
