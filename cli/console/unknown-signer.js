/**
 * Advice for an app's signature that a console does not trust: which key made it, if a local key matches, and which
 * command signs it with another one. The console's message names the keys that it trusts.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { keyLabel } from "../../sdk/publisher-keys.js";
import { developmentKeyFiles, readKey } from "../apps/signing-key.js";
import { codeOf } from "../device/client.js";

/**
 * @template Result
 * @param {Promise<Result>} work
 * @param {object} sent
 * @param {string} sent.file
 * @param {Uint8Array} sent.bytes
 * @param {string | undefined} sent.signature 128 hexadecimal digits
 * @param {string | undefined} sent.key file of the key that it was signed with just now
 */
export async function advisedOnSigner(work, { file, bytes, signature, key }) {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) !== "signature_invalid" || signature === undefined) throw error;
    const files = key === undefined ? developmentKeyFiles() : [key];
    const signer = await signerAmong(files, bytes, signature);
    const advice = signerAdvice(file, signer, `svc install ${file} --key PEM`);
    throw Object.assign(Object(error), { advice });
  }
}

/**
 * @param {string} what is signed
 * @param {{ readonly file: string, readonly label: string } | undefined} signer the key that it is signed with
 * @param {string} command signs it with another key
 */
export function signerAdvice(what, signer, command) {
  const signed = signer
    ? `${what} is signed with key "${signer.label}" (${signer.file}), which the console does not trust.`
    : `${what} is signed with none of the keys here, or was changed after that.`;
  return `${signed} \`${command}\` signs it with another key; a simulated console's is DIR/keys/publisher.pem of its --state DIR.`;
}

/** @param {readonly string[]} files @param {Uint8Array} bytes @param {string} signature */
async function signerAmong(files, bytes, signature) {
  const digest = createHash("sha256").update(bytes).digest();
  for (const file of files) {
    const found = await readKey(file).catch(() => undefined); // a key that cannot be read has signed nothing here
    if (found && verify(null, digest, createPublicKey(found), Buffer.from(signature, "hex")))
      return { file, label: keyLabel(found) };
  }
  return undefined;
}
