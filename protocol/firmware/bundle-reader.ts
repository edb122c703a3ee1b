/**
 * Reads a firmware bundle as it comes, in memory that does not depend on its size: the header, the beginning of
 * the image, and a digest for each key that is tried.
 *
 * R and the keys stand before the message in what is hashed (RFC 8032 §5.1.7), so the keys must be known when
 * the first signed byte comes. That is the moment to add them: the header is whole, and nothing is wrong with it
 * that can be told by then. The image is handed on before anything about it is known to be true, so nothing of
 * it is to be believed before `end` has returned; what is wrong with it is told in the order of
 * docs/spec/firmware-bundles.md#check-order.
 *
 * Memory does not depend on the number of keys either, where what was handed on can be read again: the bundle is
 * hashed under the first {@link KEYS_OF_PASS} of them as it comes, and under the next ones as it is read again, as
 * long as none is found that has signed it.
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
 * Keys that are tried in one pass over the image. A digest takes 88 bytes of heap, and with its key and its place
 * 115, so these take 5.5 KiB of the 80 that an upload may take, and an upload takes 79 [measured]. The image is read
 * once more for every 48 keys, which is little beside hashing it under each of them
 * (docs/spec/firmware-bundles.md#bundle-signature).
 */
export const KEYS_OF_PASS = 48;

/** Keys that are read from their file before other work gets a turn, in every pass but the first: 1.2 ms. */
const KEYS_OF_SLICE = 16;

/** Bytes of the image that are read again at a time: hashed under each of those keys, they are 96 KiB. */
const PIECE_READ_AGAIN_BYTES = 2048;

// One pass over what the signature of a bundle covers: a digest for each key that is tried in it, the CRC-32 of the
// image, and its beginning. All of them are of the same bytes, so that what is believed of an image is what was
// signed, be it that the image is read again for other keys.

interface BundlePassOptions extends SignaturePorts {
  readonly Crc32: Crc32Constructor;
  /** Of the bundle. */
  readonly signature: Uint8Array;
}

class BundlePass {
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

/** The image that was handed on. */
export interface KeptImage {
  /** Fills `into` from `offset` of it; how many bytes there were. */
  readonly read: (into: Uint8Array, offset: number) => number;
  /** Owner of the buffer's memory meanwhile. */
  readonly memory: Memory;
}

export interface BundleReaderOptions extends SignaturePorts {
  readonly Crc32: Crc32Constructor;
  /** Is called once, for all keys that may turn out to be trusted. The reader closes them. */
  openKeys(): CandidateKeys;
  /** Is given the next bytes of the image as a view that holds during the call only, never an empty one. */
  onImage(bytes: Uint8Array): void;
  /** Left out: it is not read again, and all keys are tried as it comes, however many there are. */
  readonly kept?: KeptImage | undefined;
  /** Bytes of the longest image that there is room for. */
  readonly imageLimitBytes: number;
  /** Bytes of the whole file, where they are known before it comes. */
  readonly exactBytes?: number | undefined;
  /** The most bytes that the whole file can have, where only that is known. */
  readonly mostBytes?: number | undefined;
}

interface BundleEnding {
  /** Settles when work may go on: waited for before each key that is tried, and each piece that is read again. */
  pause(): Promise<void>;
  /** Asked of every key under which the signature holds, until one is. */
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
  /** Those that were not tried yet. */
  #keys: CandidateKeys | undefined;
  #pass: BundlePass | undefined;

  constructor(options: BundleReaderOptions) {
    this.#options = options;
  }

  /** `undefined` until it is whole and nothing is known to be wrong with it. */
  get header(): BundleHeader | undefined {
    return this.#header;
  }

  /** Of the whole bundle, as its header says; `undefined` as long as {@link header} is. */
  get totalBytes(): number | undefined {
    return this.#header && BUNDLE_HEADER_BYTES + this.#header.imageBytes;
  }

  get receivedBytes(): number {
    return this.#received;
  }

  /**
   * Takes the next bytes of the bundle.
   * @throws {Fault} `bundle_magic`, `bundle_version`, `bundle_length`, `file_too_large`, and what `openKeys`, its
   *   keys and `onImage` throw; nothing but `close` is to follow
   */
  write(bytes: Uint8Array): void {
    const offset = this.#received;
    this.#received += bytes.length;
    if (offset < BUNDLE_HEADER_BYTES) this.#takeHeader(bytes, offset);
    const image = offset < BUNDLE_HEADER_BYTES ? bytes.subarray(BUNDLE_HEADER_BYTES - offset) : bytes;
    if (image.length > 0) this.#takeImage(image);
  }

  /**
   * Says that the file has ended, checks what it was, and closes the reader. To be called once.
   * @throws {Fault} `bundle_length`, `signature_invalid`, `bundle_crc`, `image_invalid`, and what `isTrusted`,
   *   the keys and `kept` throw
   */
  async end(ending: BundleEnding): Promise<Bundle> {
    try {
      return await this.#check(ending);
    } finally {
      this.close();
    }
  }

  /** Gives back the keys, and what the digests hold outside of the heap, at any time. May be called twice. */
  close(): void {
    this.#pass?.checks.close();
    this.#keys?.close();
  }

  async #check(ending: BundleEnding): Promise<Bundle> {
    const header = this.#header;
    if (!header || this.#received !== this.totalBytes) throw wrongLength("it ends too early");
    const { checksum, head } = await this.#signedPass(header, ending);
    if (checksum !== header.checksum)
      throw new Fault("bundle_crc", "Cannot accept the bundle: the CRC-32 of its image is wrong");
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
    const pass = this.#newPass(header);
    addKeys(pass, this.#keys, this.#options.kept ? KEYS_OF_PASS : Number.POSITIVE_INFINITY);
    pass.takeHeader(this.#headerBytes);
    this.#header = header;
  }

  /** Before keys are added to it: what adding them throws leaves digests to close. */
  #newPass({ signature }: BundleHeader): BundlePass {
    const { Crc32, Digest, ed25519 } = this.#options;
    this.#pass = undefined; // it has closed all of its digests, and the next one stands in their place
    this.#pass = new BundlePass({ Crc32, Digest, ed25519, signature });
    return this.#pass;
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

  /** @param bytes which `#received` counts already */
  #takeImage(bytes: Uint8Array): void {
    const position = this.#received - bytes.length - BUNDLE_HEADER_BYTES;
    if (!this.#header || !this.#pass || position + bytes.length > this.#header.imageBytes)
      throw wrongLength("it goes on after its end");
    this.#pass.takeImage(bytes);
    this.#options.onImage(bytes);
  }

  /**
   * The pass that went over what a trusted key has signed.
   * @throws {Fault} `signature_invalid`, where there is no key too
   */
  async #signedPass(header: BundleHeader, ending: BundleEnding): Promise<BundlePass> {
    // In no variable of its own: a pass must not outlive the next one's making, which has as many keys.
    do {
      if (this.#pass && (await isSigned(this.#pass, ending))) return this.#pass;
    } while (await this.#passAgain(header, ending));
    throw new Fault("signature_invalid", "The signature does not match this bundle and any trusted key");
  }

  /** For the keys that come next. @returns whether there were any */
  async #passAgain(header: BundleHeader, { pause }: BundleEnding): Promise<boolean> {
    const { kept } = this.#options;
    if (!kept || !this.#keys) return false;
    const pass = this.#newPass(header);
    for (let count = 0; count < KEYS_OF_PASS; count += KEYS_OF_SLICE) {
      await pause();
      if (addKeys(pass, this.#keys, KEYS_OF_SLICE) < KEYS_OF_SLICE) break;
    }
    if (pass.checks.length === 0) return false;
    pass.takeHeader(this.#headerBytes);
    await readAgain(pass, kept, header.imageBytes, pause);
    return true;
  }
}

/** @returns how many there were, equal ones included: less than `limit` where all are added */
function addKeys(pass: BundlePass, keys: CandidateKeys, limit: number): number {
  for (let count = 0; count < limit; count++) {
    const key = keys.next();
    if (!key) return count;
    pass.checks.add(key);
  }
  return limit;
}

async function readAgain(
  pass: BundlePass,
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
      pass.takeImage(block.bytes.subarray(0, taken));
      at += taken;
    }
  } finally {
    block.close();
  }
}

async function isSigned({ checks }: BundlePass, { pause, isTrusted }: BundleEnding): Promise<boolean> {
  for (let key = await checks.next(pause); key; key = await checks.next(pause))
    if (await isTrusted(key)) return true;
  return false;
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
