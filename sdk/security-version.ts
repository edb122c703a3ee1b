/**
 * Writes the security version into a firmware image of either kind (protocol/firmware/image-header.ts), and updates the
 * image's checksums. Rejects an image with its own signature (secure boot): its maker sets the version before signing.
 */
import { createHash } from "node:crypto";
import { SdkError } from "./sdk-error.js";

const SIMULATOR = Object.freeze({ at: 92, digestedBytes: 96, digestBytes: 32, headerBytes: 128 });
const ESP_MAGIC = 0xe9;
const ESP_AT = 36;
const ESP_HEADER_BYTES = 24;
const ESP_SEGMENT_HEADER_BYTES = 8;
const ESP_HASH_FLAG_AT = 23;

/**
 * @param securityVersion 32-bit number
 * @returns a changed copy of the image
 * @throws {SdkError} `image_invalid`
 */
export function withSecurityVersion(image: Uint8Array, securityVersion: number): Buffer {
  const copy = Buffer.from(image);
  if (copy.toString("latin1", 0, 8) === "SVCIMAGE" && copy.length >= SIMULATOR.headerBytes)
    return intoSimulatorImage(copy, securityVersion);
  if (copy[0] === ESP_MAGIC && copy.length >= ESP_AT + 4) return intoEspImage(copy, securityVersion);
  throw invalid("this kind of image has no security version");
}

function intoSimulatorImage(image: Buffer, securityVersion: number): Buffer {
  const { at, digestedBytes, headerBytes } = SIMULATOR;
  image.writeUInt32LE(securityVersion, at);
  const end = headerBytes + image.readUInt32LE(12);
  const digest = createHash("sha256")
    .update(image.subarray(0, digestedBytes))
    .update(image.subarray(headerBytes, end));
  digest.digest().copy(image, digestedBytes);
  return image;
}

/**
 * The checksum is the XOR of all segment bytes. It is the last byte of the padding to a multiple of 16; a SHA-256 of all
 * preceding bytes may follow it.
 */
function intoEspImage(image: Buffer, securityVersion: number): Buffer {
  let at = ESP_HEADER_BYTES;
  for (let segment = 0; segment < (image[1] ?? 0); segment++) {
    if (at + ESP_SEGMENT_HEADER_BYTES > image.length) throw invalid("its segments extend beyond its end");
    at += ESP_SEGMENT_HEADER_BYTES + image.readUInt32LE(at + 4);
  }
  const checksumAt = at + 15 - (at % 16);
  const hasHash = image[ESP_HASH_FLAG_AT] === 1;
  const end = checksumAt + 1 + (hasHash ? SIMULATOR.digestBytes : 0);
  if (end > image.length) throw invalid("its segments extend beyond its end");
  if (end < image.length) throw invalid("it has a signature, which the change would invalidate");
  const change = Buffer.from(image.subarray(ESP_AT, ESP_AT + 4));
  image.writeUInt32LE(securityVersion, ESP_AT);
  for (let index = 0; index < 4; index++)
    image[checksumAt] = Number(image[checksumAt]) ^ Number(change[index]) ^ Number(image[ESP_AT + index]);
  if (hasHash)
    createHash("sha256")
      .update(image.subarray(0, checksumAt + 1))
      .digest()
      .copy(image, checksumAt + 1);
  return image;
}

function invalid(reason: string): SdkError {
  return new SdkError("image_invalid", `Cannot write a security version into the image: ${reason}`);
}
