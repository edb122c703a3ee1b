/** Writes firmware bundles, for programs on Node. Does not check the contents; the reader does. */
import type { Crc32Constructor } from "../ports/crypto.js";
import { SIGNATURE_BYTES } from "../signature/ed25519.js";
import { BUNDLE_HEADER_BYTES, SIGNED_AT, writeBundleHeader } from "./bundle-header.js";

export interface BundleContents {
  readonly image: Uint8Array;
  readonly Crc32: Crc32Constructor;
  /** Returns the Ed25519 signature over `message`, 64 bytes. */
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/**
 * Returns the bytes of a `.svcfw` file.
 * @throws {RangeError} when `sign` returns a signature of the wrong length
 */
export function writeBundle({ image, Crc32, sign }: BundleContents): Uint8Array {
  const bundle = new Uint8Array(BUNDLE_HEADER_BYTES + image.length);
  const header = { imageBytes: image.length, checksum: new Crc32().checksum(image) };
  bundle.set(image, BUNDLE_HEADER_BYTES);
  writeBundleHeader(bundle, { ...header, signature: new Uint8Array(SIGNATURE_BYTES) });
  const signature = sign(bundle.subarray(SIGNED_AT));
  if (signature.length !== SIGNATURE_BYTES)
    throw new RangeError(`Cannot write a signature of ${signature.length} bytes, it has ${SIGNATURE_BYTES}`);
  writeBundleHeader(bundle, { ...header, signature });
  return bundle;
}
