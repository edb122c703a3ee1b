/** Key pairs of publishers: Ed25519, PKCS #8 in `publisher.pem` and SPKI in `publisher.pub.pem`. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { explainFailure } from "../tools/explain-failure.js";
import { makeDirectory } from "../tools/make-directory.js";
import { SdkError } from "./sdk-error.js";

/** Hexadecimal digits by which people tell keys apart: as many as consoles and `svc verify` show. */
const LABEL_DIGITS = 16;

/**
 * A new pair. What is there already is never replaced: what was signed with it could not be signed again.
 * @param directory made where it is missing, for its owner alone
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
    // Of two who come at the same time, the second one fails.
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
 * The first bytes of a public key in hexadecimal.
 * @param key private or public
 */
export function keyLabel(key: KeyObject): string {
  const { x = "" } = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  return Buffer.from(x, "base64url").toString("hex").slice(0, LABEL_DIGITS);
}
