/** Who has signed an app's file: of the keys that a console would trust, the one under which its signature holds. */
import { createHash } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import type { KeyRole } from "../../protocol/keys/pem-reader.js";
import { readTrustedKeys, type TrustedKey, type TrustedKeys } from "../../protocol/keys/trusted-keys.js";
import { nobleEd25519 } from "../../protocol/noble/noble-ed25519.js";
import { verifySignature } from "../../protocol/signature/ed25519.js";
import { NodeDigest, nodeBase64 } from "../../tools/node-bytes.js";

export const SIGNATURE_PORTS = Object.freeze({ Digest: NodeDigest, ed25519: nobleEd25519 });

/** Those that count now: certificates that have expired do not. */
export function trustedKeysIn(pem: Uint8Array): Promise<TrustedKeys> {
  return readTrustedKeys(pem, { ...SIGNATURE_PORTS, base64: nodeBase64, now: Date.now() });
}

/**
 * The key with the role that has signed the file; one without it is as if unknown, as on a console.
 *
 * @param file whose SHA-256 is what is signed
 * @param signature 64 bytes
 * @throws {Fault} `signature_invalid`
 */
export function signerOf(
  file: Uint8Array,
  signature: Uint8Array,
  keys: readonly TrustedKey[],
  role: KeyRole,
): TrustedKey {
  const message = createHash("sha256").update(file).digest();
  const signers = keys.filter(({ publicKey }) =>
    verifySignature({ signature, publicKey, message, ...SIGNATURE_PORTS }),
  );
  const signer = signers.find(({ roles }) => roles.includes(role));
  if (signer) return signer;
  const [other] = signers;
  if (other)
    throw new Fault(
      "signature_invalid",
      `The signature is that of "${other.label}", which has not the role ${role} but ${other.roles.join(", ")}`,
    );
  throw new Fault("signature_invalid", "The signature does not match this file and any trusted key");
}
