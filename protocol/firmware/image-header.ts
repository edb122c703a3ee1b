/**
 * Reads the header of a firmware image: its board, architecture and version. Do not trust any of it before the
 * signature and the CRC of the bundle are verified.
 */
import { Fault } from "../fault.js";
import type { VariantArchitecture } from "../file-kind.js";
import { parseVersion } from "../version.js";

// Shared by both header formats: zero-terminated text in a fixed-size field.

/**
 * The text in the `byteLength` bytes at `offset`, up to its terminating zero.
 * @param what name of the field in messages
 * @throws {Fault} `image_invalid` if the text is empty, not terminated, or not visible ASCII
 */
function readText(bytes: Uint8Array, offset: number, byteLength: number, what: string): string {
  const field = bytes.subarray(offset, offset + byteLength);
  const end = field.indexOf(0);
  const text = field.subarray(0, end);
  if (end <= 0 || !text.every(isVisible)) throw imageInvalid(`its ${what} is not text`);
  return String.fromCharCode(...text);
}

/**
 * The version in such a field.
 * @throws {Fault} `image_invalid` as {@link readText}, and for an invalid version
 */
function readVersion(bytes: Uint8Array, offset: number, byteLength: number): string {
  const version = readText(bytes, offset, byteLength, "version");
  if (!parseVersion(version)) throw imageInvalid(`its version "${version}" is not MAJOR.MINOR.PATCH`);
  return version;
}

export function imageInvalid(reason: string): Fault {
  return new Fault("image_invalid", `Cannot accept the image: ${reason}`);
}

function isVisible(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}

// Header of an application built by ESP-IDF (`esp_app_format.h`, `esp_app_desc.h`). Numbers are little-endian. The
// chip's boot loader checks the rest of the image.
//
//     offset  bytes
//          0     24  esp_image_header_t: at 0 the magic 0xE9, at 12 the chip in two bytes
//         24      8  esp_image_segment_header_t of the first segment
//         32    256  esp_app_desc_t, the start of the first segment: at 0 its magic in four bytes,
//                    at 4 secure_version, at 16 version[32], at 48 project_name[32], here the board's name

const ESP_MAGIC = 0xe9;
const CHIP_AT = 12;
const DESCRIPTION_AT = 32;
const DESCRIPTION_MAGIC = 0xabcd5432;
const ESP_SECURITY_AT = DESCRIPTION_AT + 4;
const VERSION_AT = DESCRIPTION_AT + 16;
const PROJECT_NAME_AT = DESCRIPTION_AT + 48;
const TEXT_BYTES = 32;

/** Includes the description, which every application of ESP-IDF has. */
const ESP_HEADER_BYTES = DESCRIPTION_AT + 256;

/**
 * @returns `undefined` for an image of another format
 * @throws {Fault} `image_invalid` for an invalid header of this format
 */
function readEspImage(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes[0] !== ESP_MAGIC) return undefined;
  if (bytes.length < ESP_HEADER_BYTES) throw imageInvalid("it ends within its header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, ESP_HEADER_BYTES);
  if (view.getUint32(DESCRIPTION_AT, true) !== DESCRIPTION_MAGIC)
    throw imageInvalid("it does not describe itself as an application of ESP-IDF does");
  return {
    version: readVersion(bytes, VERSION_AT, TEXT_BYTES),
    board: readText(bytes, PROJECT_NAME_AT, TEXT_BYTES, "board"),
    architecture: architectureOf(view.getUint16(CHIP_AT, true)),
    securityVersion: view.getUint32(ESP_SECURITY_AT, true),
    leastBytes: ESP_HEADER_BYTES,
  };
}

/** @param chip `esp_chip_id_t` */
function architectureOf(chip: number): VariantArchitecture {
  switch (chip) {
    case 0x0000: // ESP32
    case 0x0002: // ESP32-S2
    case 0x0009: // ESP32-S3
      return "xtensa";
    default:
      throw imageInvalid(`it is for chip ${chip}, which no console has`);
  }
}

// Header of an image of the simulated console; the program follows it. Numbers are little-endian, texts are
// zero-terminated.
//
//     offset  bytes
//          0      8  "SVCIMAGE"
//          8      2  format, 1
//         10      2  bytes of this header, 128
//         12      4  length of the program in bytes
//         16     32  version
//         48     32  board
//         80     12  architecture
//         92      4  security version
//         96     32  SHA-256 over the 96 bytes before it and the program, for the boot loader

/** "SVCIMAGE" */
const SIMULATOR_MAGIC: readonly number[] = Object.freeze([0x53, 0x56, 0x43, 0x49, 0x4d, 0x41, 0x47, 0x45]);
const FORMAT = 1;
const HEADER_BYTES = 128;
const SIMULATOR_SECURITY_AT = 92;

/**
 * @returns `undefined` for an image of another format
 * @throws {Fault} `image_invalid` for an invalid header of this format
 */
function readSimulatorImage(bytes: Uint8Array): ImageHeader | undefined {
  if (!SIMULATOR_MAGIC.every((byte, at) => bytes[at] === byte)) return undefined;
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

export interface ImageHeader {
  /** MAJOR.MINOR.PATCH */
  readonly version: string;
  readonly board: string;
  readonly architecture: string;
  /** Must not be below that of the confirmed firmware (docs/spec/keys.md#security-version); 0 if not stated. */
  readonly securityVersion: number;
  /** Minimum length of the whole image according to its header. */
  readonly leastBytes: number;
}

/** Length of the longest header of any format. */
export const IMAGE_HEAD_BYTES = ESP_HEADER_BYTES;

/**
 * Read the header of an image in any known format.
 * @param bytes the first {@link IMAGE_HEAD_BYTES} of the image, or the whole image if it is shorter
 * @throws {Fault} `image_invalid` for an unknown format or an invalid header
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const header = readSimulatorImage(bytes) ?? readEspImage(bytes);
  if (!header) throw imageInvalid("it is of no kind that a console runs");
  return header;
}
