/**
 * Advice for an app's signature that a console does not trust: which key made it, if a local key matches, and which
 * command signs it with another one. The console's message names the keys that it trusts.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { keyLabel } from "../../sdk/publisher-keys.js";
import { codeOf } from "../device/client.js";
import { developmentKeyFiles, readKey } from "../key-files.js";

/**
 * @param sent.signature 128 hexadecimal digits
 * @param sent.key key file of the current command
 */
export async function advisedOnSigner<Result>(
  work: Promise<Result>,
  {
    file,
    bytes,
    signature,
    key,
  }: {
    readonly file: string;
    readonly bytes: Uint8Array;
    readonly signature: string | undefined;
    readonly key: string | undefined;
  },
): Promise<Result> {
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
 * @param what signed file or app
 * @param signer the signing key, if known
 * @param command to sign it with another key
 */
export function signerAdvice(
  what: string,
  signer: { readonly file: string; readonly label: string } | undefined,
  command: string,
): string {
  const signed = signer
    ? `${what} is signed with key "${signer.label}" (${signer.file}), which the console does not trust.`
    : `${what} is not signed with a key on this machine, or was changed after signing.`;
  return `${signed} Sign it with another key: \`${command}\`, or let your console run apps of yours: \`svc keys add PUB\`. A simulated console trusts keys/publisher.pem in its --state directory.`;
}

async function signerAmong(files: readonly string[], bytes: Uint8Array, signature: string) {
  const digest = createHash("sha256").update(bytes).digest();
  for (const file of files) {
    const found = await readKey(file).catch(() => undefined); // an unreadable key did not sign the file
    if (found && verify(null, digest, createPublicKey(found), Buffer.from(signature, "hex")))
      return { file, label: keyLabel(found) };
  }
  return undefined;
}
