/**
 * Checks a bundle as a console does before it boots it, with the same code (docs/spec/firmware-bundles.md#check-order):
 * magic, format version, signature, CRC-32, length, and the image's own description.
 */
import { setImmediate } from "node:timers/promises";
import { Fault } from "../../protocol/fault.js";
import { isVariantArchitecture } from "../../protocol/file-kind.js";
import { readBundleHeader } from "../../protocol/firmware/bundle-header.js";
import { BundleReader } from "../../protocol/firmware/bundle-reader.js";
import { type ImageHeader, imageInvalid } from "../../protocol/firmware/image-header.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import { parseVersion } from "../../protocol/version.js";
import { NodeCrc32 } from "../../tools/node-bytes.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";

/** Bytes of a bundle to check before yielding: some milliseconds with one or two keys. */
const PIECE_BYTES = 256 * 1024;

interface CheckedBundle {
  readonly image: ImageHeader;
  /** 128 hexadecimal digits. */
  readonly signature: string;
  /** The key of the signature, 64 hexadecimal digits. */
  readonly publicKey: string;
}

/**
 * @param keys the publisher's keys of 32 bytes, one of which must have signed the bundle
 * @throws {Fault} like a console: `bundle_magic`, `bundle_version`, `bundle_length`, `signature_invalid`,
 *   `bundle_crc`, `image_invalid`
 */
export async function checkBundle(bundle: Uint8Array, keys: readonly Uint8Array[]): Promise<CheckedBundle> {
  const candidates = keys.values();
  const reader = new BundleReader({
    ...SIGNATURE_PORTS,
    Crc32: NodeCrc32,
    openKeys: () => ({ next: () => candidates.next().value, close() {} }),
    imageLimitBytes: bundle.length,
    exactBytes: bundle.length,
  });
  try {
    for (let at = 0; at < bundle.length; at += PIECE_BYTES) {
      reader.write(bundle.subarray(at, at + PIECE_BYTES));
      await setImmediate();
    }
  } catch (error) {
    reader.close();
    throw error;
  }
  let publicKey = "";
  const { image } = await reader.end({
    pause: () => setImmediate(),
    isTrusted: async (key) => {
      publicKey = hexadecimal(key);
      return true;
    },
  });
  requireArchitecture(image);
  return { image, signature: hexadecimal(readBundleHeader(bundle).signature), publicKey };
}

/** Consoles compare the architecture with their own, so an unknown one fits no console. */
function requireArchitecture({ architecture }: ImageHeader): void {
  if (!isVariantArchitecture(architecture))
    throw imageInvalid(`it is for "${architecture}", which is not an architecture of a console`);
}

/**
 * A publisher's statements about a bundle must match its image.
 * @param stated the publisher's statements; missing ones match
 * @throws {Fault} `bad_parameter`, `image_invalid` naming both
 */
export function requireStated(
  image: ImageHeader,
  stated: { readonly version: string | undefined; readonly arch: string | undefined },
): void {
  const { arch, version } = stated;
  if (version !== undefined && !parseVersion(version))
    throw new Fault("bad_parameter", `"version" is "${version}", which is not MAJOR.MINOR.PATCH`);
  requireSame("version", version, image.version);
  requireSame("arch", arch, image.architecture);
}

function requireSame(name: string, stated: string | undefined, found: string): void {
  if (stated !== undefined && stated !== found)
    throw imageInvalid(`"${name}" is "${stated}", but the image has "${found}"`);
}
