/**
 * Reads the images that ESP-IDF builds for a chip, boot loader and app. Numbers are little-endian.
 *
 *     offset  bytes
 *          0      1  0xE9
 *          1      1  number of segments
 *          3      1  size of the flash: 2 to the power of the upper four bits, in MiB
 *         12      2  chip
 *         23      1  1: the SHA-256 of all bytes before it follows
 *         24         segments: load address (4), byte length (4), the bytes; then zeros up to a checksum, which is the
 *                    last byte of a block of 16
 *
 * The first segment of an app begins with its description: 0xABCD5432 (4), 12 bytes, version (32), project (32).
 */
import { createHash } from "node:crypto";

/** The chips of our boards: `family` is the name that browser flashing tools have for it. */
export const CHIPS = Object.freeze({
  esp32: { id: 0, family: "ESP32", bootLoaderOffset: 0x1000 },
  esp32s3: { id: 9, family: "ESP32-S3", bootLoaderOffset: 0 },
});
export type Chip = keyof typeof CHIPS;
export const CHIP_NAMES = Object.freeze(Object.keys(CHIPS)) as readonly Chip[];

export interface EspImage {
  readonly chip: Chip;
  /** Size of the flash that it is built for. */
  readonly flashBytes: number;
  readonly byteLength: number;
}

export interface AppDescription {
  readonly version: string;
  readonly project: string;
}

const MAGIC = 0xe9;
const HEADER_BYTES = 24;
const SEGMENT_HEADER_BYTES = 8;
const DIGEST_BYTES = 32;
const DESCRIPTION_MAGIC = 0xabcd5432;
const DESCRIPTION_OFFSET = HEADER_BYTES + SEGMENT_HEADER_BYTES;
const DESCRIPTION_BYTES = 80;

const viewOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * @param bytes begin with the image; others may follow
 * @throws {Error} a clause about the image, such as `it is damaged`
 */
export function readEspImage(bytes: Uint8Array): EspImage {
  const image = viewOf(bytes);
  if (image.length < HEADER_BYTES || image[0] !== MAGIC) throw new Error("it is not an image of ESP-IDF");
  const id = image.readUInt16LE(12);
  const chip = CHIP_NAMES.find((name) => CHIPS[name].id === id);
  if (chip === undefined) throw new Error(`it is for another chip, with id ${id}`);
  return { chip, flashBytes: 2 ** (image.readUInt8(3) >> 4) * 1024 * 1024, byteLength: lengthOf(image) };
}

/** @throws {Error} if bytes are missing or changed */
function lengthOf(image: Buffer): number {
  let end = HEADER_BYTES;
  for (let segment = 0; segment < image.readUInt8(1); segment++) {
    if (end + SEGMENT_HEADER_BYTES > image.length) throw new Error("it is cut off");
    end += SEGMENT_HEADER_BYTES + image.readUInt32LE(end + 4);
  }
  end = 16 * (Math.floor(end / 16) + 1); // the checksum takes a block of its own where the last one is full
  const isDigested = image[HEADER_BYTES - 1] === 1;
  const byteLength = end + (isDigested ? DIGEST_BYTES : 0);
  if (byteLength > image.length) throw new Error("it is cut off");
  const digest = createHash("sha256").update(image.subarray(0, end)).digest();
  if (isDigested && !digest.equals(image.subarray(end, byteLength))) throw new Error("it is damaged");
  return byteLength;
}

/**
 * @param bytes begin with an app that {@link readEspImage} has read
 * @throws {Error} a clause about the app
 */
export function readAppDescription(bytes: Uint8Array): AppDescription {
  const image = viewOf(bytes);
  const description = image.subarray(DESCRIPTION_OFFSET, DESCRIPTION_OFFSET + DESCRIPTION_BYTES);
  if (description.length < DESCRIPTION_BYTES || description.readUInt32LE(0) !== DESCRIPTION_MAGIC)
    throw new Error("it has no description of an app");
  return { version: textAt(description, 16), project: textAt(description, 48) };
}

/** A text of at most 32 bytes, which ends at the first zero. */
function textAt(bytes: Buffer, offset: number): string {
  const field = bytes.subarray(offset, offset + 32);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}
