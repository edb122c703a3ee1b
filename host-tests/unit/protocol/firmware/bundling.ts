/** Firmware bundles for tests: those that a tool would write, and those that are wrong in chosen places. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { crc32 } from "node:zlib";
import { Fault, type FaultCode } from "../../../../protocol/fault.js";
import {
  type Bundle,
  BundleReader,
  type BundleReaderOptions,
} from "../../../../protocol/firmware/bundle-reader.js";
import type { CandidateKeys } from "../../../../protocol/keys/trusted-keys.js";
import { writeImage } from "../../../../tools/image.js";
import { NodeCrc32, nodeSignatures } from "../../../hosts/node-bytes.js";

export interface Signer {
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}

export function newSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ format: "der", type: "spki" });
  return { publicKey: Uint8Array.from(spki.subarray(-32)), privateKey };
}

export const SIGNER = newSigner();
export const FOREIGNER = newSigner();

/** Of the simulated console, with a program of that many bytes that look like anything. */
export function simulatorImage(
  programBytes: number,
  fields: Partial<Parameters<typeof writeImage>[0]> = {},
): Uint8Array {
  const program = new Uint8Array(programBytes);
  for (let at = 0; at < programBytes; at += 32) {
    const piece = createHash("sha256").update(`${at}`).digest();
    program.set(piece.subarray(0, programBytes - at), at);
  }
  return Uint8Array.from(writeImage({ program, version: "1.2.3", ...fields }));
}

export interface EspFields {
  readonly magic?: number;
  readonly chip?: number;
  readonly descriptionMagic?: number;
  readonly version?: string;
  readonly project?: string;
  /** After the description. */
  readonly restBytes?: number;
}

/** As ESP-IDF writes one, in the fields that the reader uses. */
export function espImage(fields: EspFields = {}): Uint8Array {
  const { magic = 0xe9, chip = 9, descriptionMagic = 0xabcd5432, restBytes = 200 } = fields;
  const image = Buffer.alloc(288 + restBytes, 0xa5);
  image.fill(0, 0, 288);
  image.set([magic, 6, 2, 0x1f], 0); // segments; mode, size and speed of the flash
  image.writeUInt32LE(0x40081504, 4); // where it starts
  image[8] = 0xee;
  image.writeUInt16LE(chip, 12);
  image[23] = 1; // a digest follows
  image.writeUInt32LE(0x3f400020, 24); // where the first segment goes, and its length
  image.writeUInt32LE(256 + restBytes, 28);
  image.writeUInt32LE(descriptionMagic, 32);
  image.write(fields.version ?? "2.0.1", 48, 32, "latin1");
  image.write(fields.project ?? "svc-console", 80, 32, "latin1");
  image.write("06:51:35", 112, "latin1");
  image.write("v5.3.1", 144, "latin1");
  return Uint8Array.from(image);
}

/** Each left out is right. */
export interface BundleFields {
  readonly magic?: string;
  readonly formatVersion?: number;
  /** What is added to the length of the image. */
  readonly lengthError?: number;
  readonly crcError?: number;
  readonly signer?: Signer;
}

/** Signed with its flaws, so that only these are wrong. */
export function bundleOf(image: Uint8Array, fields: BundleFields = {}): Uint8Array {
  const { magic = "AKFW", formatVersion = 1, lengthError = 0, crcError = 0, signer = SIGNER } = fields;
  const bundle = Buffer.alloc(78 + image.length);
  bundle.write(magic, 0, 4, "latin1");
  bundle.writeUInt16LE(formatVersion, 4);
  bundle.writeUInt32LE(image.length + lengthError, 70);
  bundle.writeUInt32LE((crc32(image) ^ crcError) >>> 0, 74);
  bundle.set(image, 78);
  bundle.set(sign(null, bundle.subarray(70), signer.privateKey), 6);
  return Uint8Array.from(bundle);
}

export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

export interface ReadingOptions extends Partial<BundleReaderOptions> {
  /** Sizes of the pieces; the last is repeated. Left out: all at once. */
  readonly sizes?: readonly number[];
  /** The CRC-32 of a piece that the reader is told; left out: none. */
  readonly checksumOf?: (piece: Uint8Array) => number;
  /** Those that may be trusted; left out: the usual signer's. */
  readonly keys?: readonly Uint8Array[];
  readonly isTrusted?: (publicKey: Uint8Array) => Promise<boolean>;
}

export interface ReadBundle extends Bundle {
  /** What was handed on. */
  readonly content: Uint8Array;
}

export const ROOM_BYTES = 64 * 1024;

/** Keys one after the other, and how many of them were taken, and whether they were closed. */
export function keysOf(keys: readonly Uint8Array[]) {
  const opened = { taken: 0, isClosed: false };
  const openKeys = (): CandidateKeys => ({
    next: () => keys[opened.taken++],
    close: () => {
      opened.isClosed = true;
    },
  });
  return { openKeys, opened };
}

/** With room and ports, and the usual signer's key. */
export function newReader(options: Partial<BundleReaderOptions> = {}): BundleReader {
  return new BundleReader({
    ...nodeSignatures,
    Crc32: NodeCrc32,
    openKeys: keysOf([SIGNER.publicKey]).openKeys,
    imageLimitBytes: ROOM_BYTES,
    ...options,
  });
}

/** @throws {Fault} as the reader does */
export async function readBundle(bytes: Uint8Array, options: ReadingOptions = {}): Promise<ReadBundle> {
  const {
    sizes = [],
    keys = [SIGNER.publicKey],
    isTrusted = async () => true,
    checksumOf,
    ...others
  } = options;
  const parts: Uint8Array[] = [];
  const { openKeys } = keysOf(keys);
  const reader = newReader({ openKeys, ...others });
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index] ?? sizes.at(-1) ?? bytes.length;
    const piece = bytes.subarray(at, at + size);
    parts.push(reader.write(piece, checksumOf?.(piece)).slice());
    at += size;
  }
  const bundle = await reader.end({ pause: async () => {}, isTrusted });
  return { ...bundle, content: Uint8Array.from(Buffer.concat(parts)) };
}

/** The code of its refusal; `undefined` where it is taken. Anything but a fault that is thrown is thrown on. */
export async function refusal(bytes: Uint8Array, options?: ReadingOptions): Promise<FaultCode | undefined> {
  try {
    await readBundle(bytes, options);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}
