/**
 * Reads and verifies a firmware bundle as it arrives. Memory does not depend on the size of the bundle: the reader
 * holds the header, the first bytes of the image, and a digest for each candidate key.
 *
 * An Ed25519 digest covers R and the key before the message (RFC 8032 §5.1.7), so all keys must be added before the
 * first signed byte. The reader adds them once the header is complete and has passed its checks. `write` returns the
 * image before it is verified: treat it as untrusted until `end` has returned. Faults are reported in the order of
 * docs/spec/firmware-bundles.md#check-order.
 *
 * If the image can be read again (`kept`), memory does not depend on the number of keys either: the bundle is hashed
 * under the first {@link KEYS_OF_PASS} keys as it arrives. While no trusted key matches, the image is read again and
 * hashed under the next keys.
 */

import { Fault } from "../fault.js";
import type { CandidateKeys } from "../keys/trusted-keys.js";
import type { Crc32, Crc32Constructor } from "../ports/crypto.js";
import type { Memory } from "../ports/runtime.js";
import type { SignaturePorts } from "../signature/ed25519.js";
import { SignatureChecks } from "../signature/signature-checks.js";
import {
  BUNDLE_HEADER_BYTES,
  type BundleHeader,
  checkBundleStart,
  readBundleHeader,
  SIGNED_AT,
} from "./bundle-header.js";
import { IMAGE_HEAD_BYTES, type ImageHeader, imageInvalid, readImageHeader } from "./image-header.js";

/**
 * Keys tried in one pass over the image. A digest takes 88 bytes of heap, 115 with its key and array slots, so these
 * keys take 5.5 KiB of the 80 that an upload may take; an upload takes 79 in all [measured]. Each further 48 keys cost
 * another read of the image, which is little compared with hashing it under each of them
 * (docs/spec/firmware-bundles.md#bundle-signature).
 */
export const KEYS_OF_PASS = 48;

/** Keys read from their file before the reader yields, in every pass but the first: 1.2 ms. */
const KEYS_OF_SLICE = 16;

/** Bytes of the image read again at a time; under each of 48 keys, that is 96 KiB of hashing. */
const PIECE_READ_AGAIN_BYTES = 2048;

/** Access to the image that `write` has returned, for further passes. */
export interface KeptImage {
  /** Read from `offset` of the image into `into`. Returns the number of bytes read. */
  readonly read: (into: Uint8Array, offset: number) => number;
  /** Provides the read buffer during further passes. */
  readonly memory: Memory;
}

export interface BundleReaderOptions extends SignaturePorts {
  readonly Crc32: Crc32Constructor;
  /** Called once, for all keys that can turn out to be trusted. The reader closes them. */
  openKeys(): CandidateKeys;
  /** If left out, the image is not read again: the first pass tries all keys, however many there are. */
  readonly kept?: KeptImage | undefined;
  /** Length of the longest image that fits. */
  readonly imageLimitBytes: number;
  /** Length of the whole file, if known beforehand. */
  readonly exactBytes?: number | undefined;
  /** Upper bound of the length of the whole file, if only that is known. */
  readonly mostBytes?: number | undefined;
}

interface BundleEnding {
  /** Yields to other work. Awaited before each key that is tried and before each piece that is read again. */
  pause(): Promise<void>;
  /** Called for each key under which the signature holds, until it returns true. */
  isTrusted(publicKey: Uint8Array): Promise<boolean>;
}

export interface Bundle {
  readonly image: ImageHeader;
  readonly imageBytes: number;
}

export class BundleReader {
  readonly #options: BundleReaderOptions;
  readonly #headerBytes = new Uint8Array(BUNDLE_HEADER_BYTES);
  #received = 0;
  #header: BundleHeader | undefined;
  /** Keys not tried yet. */
  #keys: CandidateKeys | undefined;

  // One pass over the signed bytes: a digest for each key of the pass, the CRC-32 of the image, and the image's first
  // bytes. All three come from the same bytes, so the checked header and CRC-32 belong to the signed image even if the
  // medium returns different bytes on a later read.
  #checks: SignatureChecks | undefined;
  #crc: Crc32;
  #checksum = 0;
  readonly #head = new Uint8Array(IMAGE_HEAD_BYTES);
  #imageBytes = 0;

  constructor(options: BundleReaderOptions) {
    this.#options = options;
    this.#crc = new options.Crc32();
  }

  /** `undefined` until the header is complete and has passed its checks. */
  get header(): BundleHeader | undefined {
    return this.#header;
  }

  /** Length of the whole bundle according to its header; `undefined` while {@link header} is. */
  get totalBytes(): number | undefined {
    return this.#header && BUNDLE_HEADER_BYTES + this.#header.imageBytes;
  }

  get receivedBytes(): number {
    return this.#received;
  }

  /**
   * Process the next bytes of the bundle.
   * @param checksum their CRC-32, where it is known already
   * @returns those of them that belong to the image, as a view; often all, or none
   * @throws {Fault} `bundle_magic`, `bundle_version`, `bundle_length`, `file_too_large`, and anything that `openKeys` and
   *   its keys throw; call only `close` afterwards
   */
  write(bytes: Uint8Array, checksum?: number): Uint8Array {
    const offset = this.#received;
    this.#received += bytes.length;
    let image = bytes;
    if (offset < BUNDLE_HEADER_BYTES) {
      this.#takeHeader(bytes, offset);
      image = bytes.subarray(BUNDLE_HEADER_BYTES - offset);
    }
    if (image.length === 0) return image;
    if (!this.#header || this.#imageBytes + image.length > this.#header.imageBytes)
      throw wrongLength("it goes on after its end");
    this.#passImage(image, image === bytes ? checksum : undefined);
    return image;
  }

  /**
   * Signal the end of the file, verify the bundle and close the reader. Call once.
   * @throws {Fault} `bundle_length`, `signature_invalid`, `bundle_crc`, `image_invalid`, and anything that
   *   `isTrusted`, the keys and `kept` throw
   */
  async end(ending: BundleEnding): Promise<Bundle> {
    try {
      return await this.#check(ending);
    } finally {
      this.close();
    }
  }

  /** Close the keys and the digests, which hold memory outside the heap. Can be called at any time, and twice. */
  close(): void {
    this.#checks?.close();
    this.#keys?.close();
  }

  async #check(ending: BundleEnding): Promise<Bundle> {
    const header = this.#header;
    if (!header || this.#received !== this.totalBytes) throw wrongLength("it ends too early");
    await this.#requireSignature(header, ending);
    if (this.#checksum !== header.checksum)
      throw new Fault("bundle_crc", "Cannot accept the bundle: the CRC-32 of its image is wrong");
    const head = this.#head.subarray(0, this.#imageBytes);
    return { image: readImage(head, header.imageBytes), imageBytes: header.imageBytes };
  }

  #takeHeader(bytes: Uint8Array, offset: number): void {
    this.#headerBytes.set(bytes.subarray(0, BUNDLE_HEADER_BYTES - offset), offset);
    checkBundleStart(this.#headerBytes.subarray(0, this.#received));
    if (this.#received >= BUNDLE_HEADER_BYTES) this.#begin(readBundleHeader(this.#headerBytes));
  }

  #begin(header: BundleHeader): void {
    this.#checkLength(header.imageBytes);
    this.#keys = this.#options.openKeys();
    const checks = this.#newChecks(header);
    addKeys(checks, this.#keys, this.#options.kept ? KEYS_OF_PASS : Number.POSITIVE_INFINITY);
    this.#passHeader(checks);
    this.#header = header;
  }

  /** Stores the digests before keys are added to them: if adding a key throws, `close` still finds them. */
  #newChecks({ signature }: BundleHeader): SignatureChecks {
    const { Digest, ed25519 } = this.#options;
    this.#checks = undefined; // all are closed; drop them first, so that the new ones can reuse their memory
    const checks = new SignatureChecks({ Digest, ed25519, signature });
    this.#checks = checks;
    return checks;
  }

  /** After all keys of the pass are added, before the image. */
  #passHeader(checks: SignatureChecks): void {
    checks.write(this.#headerBytes.subarray(SIGNED_AT));
  }

  #passImage(bytes: Uint8Array, checksum?: number): void {
    const room = IMAGE_HEAD_BYTES - this.#imageBytes;
    if (room > 0) this.#head.set(bytes.subarray(0, room), this.#imageBytes);
    this.#imageBytes += bytes.length;
    this.#checks?.write(bytes);
    this.#checksum =
      checksum === undefined ? this.#crc.checksum(bytes) : this.#crc.append(checksum, bytes.length);
  }

  #checkLength(imageBytes: number): void {
    const { exactBytes, mostBytes, imageLimitBytes } = this.#options;
    const total = BUNDLE_HEADER_BYTES + imageBytes;
    if (exactBytes !== undefined && total !== exactBytes)
      throw wrongLength(`it says that it has ${total} bytes, and has ${exactBytes}`);
    if (mostBytes !== undefined && total > mostBytes)
      throw wrongLength(`it says that it has ${total} bytes, and has at most ${mostBytes}`);
    if (imageBytes > imageLimitBytes)
      throw new Fault(
        "file_too_large",
        `Cannot accept the bundle: its image has ${imageBytes} bytes, the slot holds ${imageLimitBytes}`,
      );
  }

  /**
   * Try keys until a trusted one matches.
   * @throws {Fault} `signature_invalid`, also if there are no keys
   */
  async #requireSignature(header: BundleHeader, ending: BundleEnding): Promise<void> {
    do {
      if (await this.#isSigned(ending)) return;
    } while (await this.#passAgain(header, ending));
    throw new Fault("signature_invalid", "The signature does not match this bundle and any trusted key");
  }

  async #isSigned({ pause, isTrusted }: BundleEnding): Promise<boolean> {
    for (let key = await this.#checks?.next(pause); key; key = await this.#checks?.next(pause))
      if (await isTrusted(key)) return true;
    return false;
  }

  /** Read the image again for the next keys. @returns false when no keys are left or the image was not kept */
  async #passAgain(header: BundleHeader, { pause }: BundleEnding): Promise<boolean> {
    const { Crc32, kept } = this.#options;
    if (!kept || !this.#keys) return false;
    const checks = this.#newChecks(header);
    for (let count = 0; count < KEYS_OF_PASS; count += KEYS_OF_SLICE) {
      await pause();
      if (addKeys(checks, this.#keys, KEYS_OF_SLICE) < KEYS_OF_SLICE) break;
    }
    if (checks.length === 0) return false;
    this.#crc = new Crc32();
    this.#checksum = 0;
    this.#imageBytes = 0;
    this.#passHeader(checks);
    await this.#readAgain(kept, header.imageBytes, pause);
    return true;
  }

  async #readAgain(
    { memory, read }: KeptImage,
    imageBytes: number,
    pause: () => Promise<void>,
  ): Promise<void> {
    const block = memory.allocate(PIECE_READ_AGAIN_BYTES);
    try {
      for (let at = 0; at < imageBytes; ) {
        await pause();
        const taken = read(block.bytes.subarray(0, imageBytes - at), at);
        if (taken === 0) throw new Error(`Cannot read the image again: it ends after ${at} bytes`);
        this.#passImage(block.bytes.subarray(0, taken));
        at += taken;
      }
    } finally {
      block.close();
    }
  }
}

/** @returns how many keys were read, duplicates included: less than `limit` once none are left */
function addKeys(checks: SignatureChecks, keys: CandidateKeys, limit: number): number {
  for (let count = 0; count < limit; count++) {
    const key = keys.next();
    if (!key) return count;
    checks.add(key);
  }
  return limit;
}

function readImage(head: Uint8Array, imageBytes: number): ImageHeader {
  const image = readImageHeader(head);
  if (image.leastBytes > imageBytes)
    throw imageInvalid(`it has ${imageBytes} bytes, and says that it has ${image.leastBytes}`);
  return image;
}

function wrongLength(reason: string): Fault {
  return new Fault("bundle_length", `Cannot accept the bundle: ${reason}`);
}
