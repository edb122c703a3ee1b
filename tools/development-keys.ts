/** The key pair that development needs: a first start makes it, and what is built here is signed with it. */
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Of `npm start` as it is: what the examples are signed with, and the firmware of boards brings. */
export const DEVELOPMENT_KEYS = path.join(import.meta.dirname, "../.console/keys");

/** It signs all that is made here; a key that says so has no warning in the boot log. */
const DEVELOPMENT_ROLES = "# roles: app, firmware, hub, native\n";

/**
 * Ed25519, PKCS #8 in `publisher.pem` and SPKI in `publisher.pub.pem`. A pair that is there is kept.
 * @param directory made where it is missing
 * @returns file of the public key
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
