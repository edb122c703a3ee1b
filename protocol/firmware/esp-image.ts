/**
 * Header of an application that ESP-IDF has built (`esp_app_format.h`, `esp_app_desc.h`). Numbers are
 * little-endian. The boot loader of the chip checks the rest of the image.
 *
 *     offset  bytes
 *          0     24  esp_image_header_t: at 0 the magic 0xE9, at 12 the chip in two bytes
 *         24      8  esp_image_segment_header_t of the first segment
 *         32    256  esp_app_desc_t, which the first segment begins with: its magic in four bytes,
 *                    at 4 secure_version, at 16 version[32], at 48 project_name[32], which names the board
 */
import type { VariantArchitecture } from "../architecture.js";
import { imageInvalid, readText, readVersion } from "./image-fields.js";
import type { ImageHeader } from "./image-header.js";

const MAGIC = 0xe9;
const CHIP_AT = 12;
const DESCRIPTION_AT = 32;
const DESCRIPTION_MAGIC = 0xabcd5432;
export const ESP_SECURITY_AT = DESCRIPTION_AT + 4;
const VERSION_AT = DESCRIPTION_AT + 16;
const PROJECT_NAME_AT = DESCRIPTION_AT + 48;
const TEXT_BYTES = 32;

/** With the description, without which there is no such image. */
export const ESP_HEADER_BYTES = DESCRIPTION_AT + 256;

/**
 * @returns `undefined` for an image of another kind
 * @throws {Fault} `image_invalid` for one of this kind with a fault
 */
export function readEspImage(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes[0] !== MAGIC) return undefined;
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
