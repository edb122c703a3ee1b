/**
 * Header of a firmware bundle, `.svcfw` (docs/spec/firmware-bundles.md#layout). Numbers are little-endian.
 *
 *     offset  bytes
 *          0      4  "AKFW"
 *          4      2  format version, 1
 *          6     64  Ed25519 signature over everything after it
 *         70      4  length of the image in bytes
 *         74      4  CRC-32 of the image, as in zip
 *         78         the image
 */
import { Fault } from "../fault.js";
import { SIGNATURE_BYTES } from "../signature/ed25519.js";

/** "AKFW" and the format version. */
const START: readonly number[] = Object.freeze([0x41, 0x4b, 0x46, 0x57, 0x01, 0x00]);
export const BUNDLE_MAGIC_BYTES = 4;
const SIGNATURE_AT = START.length;
const IMAGE_BYTES_AT = SIGNATURE_AT + SIGNATURE_BYTES;
const CHECKSUM_AT = IMAGE_BYTES_AT + 4;

/** Offset at which the signed bytes begin. */
export const SIGNED_AT = IMAGE_BYTES_AT;
export const BUNDLE_HEADER_BYTES = CHECKSUM_AT + 4;

export interface BundleHeader {
  readonly signature: Uint8Array;
  readonly imageBytes: number;
  /** CRC-32 of the image. */
  readonly checksum: number;
}

/**
 * Check magic and format version, as far as `bytes` contains them.
 * @throws {Fault} `bundle_magic`, `bundle_version`
 */
export function checkBundleStart(bytes: Uint8Array): void {
  const length = Math.min(bytes.length, START.length);
  for (let at = 0; at < length; at++) {
    if (bytes[at] === START[at]) continue;
    if (at < BUNDLE_MAGIC_BYTES)
      throw new Fault("bundle_magic", "Cannot accept the file: it is not a firmware bundle");
    throw new Fault("bundle_version", "Cannot accept the bundle: its format version is not 1");
  }
}

/**
 * @param bytes a whole header, already checked by {@link checkBundleStart}; the returned signature is a view of it
 */
export function readBundleHeader(bytes: Uint8Array): BundleHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, BUNDLE_HEADER_BYTES);
  return {
    signature: bytes.subarray(SIGNATURE_AT, SIGNED_AT),
    imageBytes: view.getUint32(IMAGE_BYTES_AT, true),
    checksum: view.getUint32(CHECKSUM_AT, true),
  };
}

/** Write the header at the start of `bytes`. */
export function writeBundleHeader(
  bytes: Uint8Array,
  { signature, imageBytes, checksum }: BundleHeader,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, BUNDLE_HEADER_BYTES);
  bytes.set(START);
  bytes.set(signature, SIGNATURE_AT);
  view.setUint32(IMAGE_BYTES_AT, imageBytes, true);
  view.setUint32(CHECKSUM_AT, checksum, true);
}
