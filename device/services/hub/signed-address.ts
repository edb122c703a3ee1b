/**
 * Addresses of downloads that a trusted hub has signed (docs/spec/device-hub.md#download-origin): they may be at any
 * origin.
 */
import { Fault } from "../../../protocol/fault.js";
import { type SignaturePorts, verifySignature } from "../../../protocol/signature/ed25519.js";
import { readSignature } from "../../../protocol/signature/signature-text.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";

export interface SignedAddressPorts extends SignaturePorts {
  readonly trustedKeys: Pick<TrustedKeysFile, "find">;
}

/**
 * Returns once the signature is known to hold.
 * @param signature 128 hexadecimal digits over the address in UTF-8
 * @throws {Fault} `download_refused` unless it is that of a trusted key with the role `hub`
 */
export async function requireSignedAddress(
  url: string,
  signature: string,
  { trustedKeys, Digest, ed25519 }: SignedAddressPorts,
): Promise<void> {
  try {
    const message = new TextEncoder().encode(url);
    const proof = { Digest, ed25519, signature: readSignature(signature), message };
    const key = await trustedKeys.find("hub", async ({ publicKey }) =>
      verifySignature({ ...proof, publicKey }),
    );
    if (key) return;
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault("download_refused", cause.message, { cause });
  }
  throw new Fault("download_refused", "The address of the download is not signed by a trusted key of a hub");
}
