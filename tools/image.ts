/**
 * The firmware image in a slot of the simulated console: a header for the boot loader, then the program. Numbers are
 * little-endian; texts are ASCII, filled with zeros, at least one.
 *
 *     offset  bytes
 *          0      8  "SVCIMAGE"
 *          8      2  format, 1
 *         10      2  bytes of this header, 128
 *         12      4  bytes of the program
 *         16     32  version, MAJOR.MINOR.PATCH
 *         48     32  board, "simulator"
 *         80     12  architecture, "native"
 *         92      4  security version: the boot loader rejects a lower one than that of the confirmed firmware
 *         96     32  SHA-256 of bytes 0 to 95 and the program
 *        128         the program: one ES module in UTF-8
 *
 * Bytes after the program are ignored.
 */
import { createHash } from "node:crypto";

export const IMAGE_HEADER_BYTES = 128;
const DIGESTED_BYTES = 96;

export function writeImage({
  program,
  version = "0.0.0",
  board = "simulator",
  architecture = "native",
  securityVersion = 0,
}: {
  readonly program: Uint8Array | string;
  readonly version?: string | undefined;
  readonly board?: string | undefined;
  readonly architecture?: string | undefined;
  readonly securityVersion?: number | undefined;
}): Buffer {
  const code = Buffer.from(program);
  const header = Buffer.alloc(IMAGE_HEADER_BYTES);
  header.write("SVCIMAGE", 0);
  header.writeUInt16LE(1, 8);
  header.writeUInt16LE(IMAGE_HEADER_BYTES, 10);
  header.writeUInt32LE(code.length, 12);
  writeText(header, version, 16, 32);
  writeText(header, board, 48, 32);
  writeText(header, architecture, 80, 12);
  header.writeUInt32LE(securityVersion, 92);
  const digest = createHash("sha256").update(header.subarray(0, DIGESTED_BYTES)).update(code).digest();
  digest.copy(header, DIGESTED_BYTES);
  return Buffer.concat([header, code]);
}

function writeText(header: Buffer, text: string, offset: number, byteLength: number): void {
  if (text.length >= byteLength || !/^[\x21-\x7e]*$/.test(text))
    throw new RangeError(
      `Cannot write "${text}" into an image: the field holds ${byteLength - 1} characters of ASCII`,
    );
  header.write(text, offset, "ascii");
}
