/**
 * One pass over what the signature of a bundle covers: a digest for each key that is tried in it, the CRC-32 of the
 * image, and its beginning. All of them are of the same bytes, so that what is believed of an image is what was
 * signed, be it that the image is read again for other keys.
 */
import type { Crc32, Crc32Constructor } from "../ports/digest.js";
import type { SignaturePorts } from "../signature/ed25519.js";
import { SignatureChecks } from "../signature/signature-checks.js";
import { SIGNED_AT } from "./bundle-header.js";
import { IMAGE_HEAD_BYTES } from "./image-header.js";

export interface BundlePassOptions extends SignaturePorts {
  readonly Crc32: Crc32Constructor;
  /** Of the bundle. */
  readonly signature: Uint8Array;
}

export class BundlePass {
  /** Closed by its owner, as a pass has nothing else to be closed. */
  readonly checks: SignatureChecks;
  readonly #crc: Crc32;
  readonly #head = new Uint8Array(IMAGE_HEAD_BYTES);
  #imageBytes = 0;
  #checksum = 0;

  constructor({ Crc32, ...options }: BundlePassOptions) {
    this.checks = new SignatureChecks(options);
    this.#crc = new Crc32();
  }

  /** CRC-32 of the image up to here. */
  get checksum(): number {
    return this.#checksum;
  }

  /** The beginning of the image, as far as it was taken. */
  get head(): Uint8Array {
    return this.#head.subarray(0, this.#imageBytes);
  }

  /** Takes the header of the bundle: before the image, and after the keys. */
  takeHeader(header: Uint8Array): void {
    this.checks.write(header.subarray(SIGNED_AT));
  }

  /** Takes the next bytes of the image. */
  takeImage(bytes: Uint8Array): void {
    const room = this.#head.length - this.#imageBytes;
    if (room > 0) this.#head.set(bytes.subarray(0, room), this.#imageBytes);
    this.#imageBytes += bytes.length;
    this.checks.write(bytes);
    this.#checksum = this.#crc.checksum(bytes);
  }
}
