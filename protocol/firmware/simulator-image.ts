/**
 * Header of an image of the simulated console, which a program follows. Numbers are little-endian, texts end in
 * a zero.
 *
 *     offset  bytes
 *          0      8  "SVCIMAGE"
 *          8      2  format, 1
 *         10      2  bytes of this header, 128
 *         12      4  bytes of the program
 *         16     32  version
 *         48     32  board
 *         80     12  architecture
 *         92      4  security version; 0 in images of 0.1.0, which had 16 bytes for the architecture, zeros at their end
 *         96     32  SHA-256 over the 96 bytes before it and the program, for the boot loader
 */
import { imageInvalid, readText, readVersion } from "./image-fields.js";
import type { ImageHeader } from "./image-header.js";

/** "SVCIMAGE" */
const MAGIC: readonly number[] = Object.freeze([0x53, 0x56, 0x43, 0x49, 0x4d, 0x41, 0x47, 0x45]);
const FORMAT = 1;
const HEADER_BYTES = 128;
export const SIMULATOR_SECURITY_AT = 92;

/**
 * @returns `undefined` for an image of another kind
 * @throws {Fault} `image_invalid` for one of this kind with a fault
 */
export function readSimulatorImage(bytes: Uint8Array): ImageHeader | undefined {
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) return undefined;
  if (bytes.length < HEADER_BYTES) throw imageInvalid("it ends within its header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (view.getUint16(8, true) !== FORMAT || view.getUint16(10, true) !== HEADER_BYTES)
    throw imageInvalid("its header is of another format");
  return {
    version: readVersion(bytes, 16, 32),
    board: readText(bytes, 48, 32, "board"),
    architecture: readText(bytes, 80, 12, "architecture"),
    securityVersion: view.getUint32(SIMULATOR_SECURITY_AT, true),
    leastBytes: HEADER_BYTES + view.getUint32(12, true),
  };
}
