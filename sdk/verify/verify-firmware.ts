/** Whether a console would stage a bundle of firmware, by the code that it would do it with. */

import { BUNDLE_MAGIC_BYTES, checkBundleStart } from "../../protocol/firmware/bundle-header.js";
import { type Bundle, BundleReader } from "../../protocol/firmware/bundle-reader.js";
import {
  type CandidateKeys,
  CandidateKeysReader,
  type TrustedKey,
} from "../../protocol/keys/trusted-keys.js";
import { NodeCrc32, nodeBase64 } from "../../tools/node-bytes.js";
import { SIGNATURE_PORTS } from "./signer.js";

export interface VerifiedFirmware extends Bundle {
  readonly signer: TrustedKey;
}

/** By its first bytes. */
export function isFirmware(file: Uint8Array): boolean {
  try {
    checkBundleStart(file.subarray(0, BUNDLE_MAGIC_BYTES));
    return file.length >= BUNDLE_MAGIC_BYTES;
  } catch {
    return false; // it is something else, or nothing
  }
}

/**
 * @param pem what `keys` were read of
 * @throws {Fault} `bundle_version`, `bundle_length`, `signature_invalid`, `bundle_crc`, `image_invalid`
 */
export async function verifyFirmware(
  file: Uint8Array,
  pem: Uint8Array,
  keys: readonly TrustedKey[],
): Promise<VerifiedFirmware> {
  const reader = new BundleReader({
    ...SIGNATURE_PORTS,
    Crc32: NodeCrc32,
    openKeys: () => candidatesIn(pem),
    onImage: () => undefined, // it is in memory already
    imageLimitBytes: Number.POSITIVE_INFINITY, // boards differ
    exactBytes: file.length,
  });
  let signer: TrustedKey | undefined;
  reader.write(file);
  const bundle = await reader.end({
    pause: async () => undefined,
    isTrusted: async (publicKey) => {
      signer = keys.find(
        (key) => key.roles.includes("firmware") && Buffer.compare(key.publicKey, publicKey) === 0,
      );
      return signer !== undefined;
    },
  });
  return { ...bundle, signer: signer as TrustedKey }; // the reader ends only where there was one
}

function candidatesIn(pem: Uint8Array): CandidateKeys {
  const keys: Uint8Array[] = [];
  const reader = new CandidateKeysReader({
    base64: nodeBase64,
    role: "firmware",
    onKey: (publicKey) => void keys.push(publicKey.slice()),
  });
  reader.write(pem);
  reader.end();
  return { next: () => keys.shift(), close: () => keys.splice(0) };
}
