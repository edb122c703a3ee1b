/**
 * The keys whose packages a console takes. On a board they ship inside the firmware; here they come from
 * `--trusted-keys`, or from a development key pair that a first start makes.
 */
import { generateKeyPairSync } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * @param {string} state directory of the console
 * @param {string | undefined} file PEM to install; `undefined` for whatever is there already
 * @returns {string | undefined} what to tell the user
 * @throws {Error} when `file` cannot be read or holds no keys
 */
export function provideTrustedKeys(state, file) {
  const trusted = path.join(state, "lfs/hub/trusted_keys.pem");
  if (file === undefined && existsSync(trusted)) return undefined;
  if (file !== undefined) checkKeys(file);
  mkdirSync(path.dirname(trusted), { recursive: true });
  if (file !== undefined) {
    copyFileSync(file, trusted);
    return undefined;
  }
  const publicKey = makeDevelopmentKeys(path.join(state, "keys"));
  copyFileSync(publicKey, trusted);
  return `trusting the development key ${publicKey}; sign with ${path.join(state, "keys/publisher.pem")}`;
}

/** @param {string} file */
function checkKeys(file) {
  if (!/-----BEGIN (PUBLIC KEY|CERTIFICATE)-----/.test(readFileSync(file, "utf8")))
    throw new Error(`Cannot trust "${file}": it holds no PUBLIC KEY and no CERTIFICATE`);
}

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
  writeFileSync(publicFile, publicKey.export({ type: "spki", format: "pem" }));
  return publicFile;
}
