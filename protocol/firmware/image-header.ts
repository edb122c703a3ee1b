/**
 * What an image says about itself: what it is for, and which version it is. Nothing of it is to be believed
 * before the signature and the CRC of its bundle hold.
 */
import { ESP_HEADER_BYTES, readEspImage } from "./esp-image.js";
import { imageInvalid } from "./image-fields.js";
import { readSimulatorImage } from "./simulator-image.js";

export interface ImageHeader {
  /** MAJOR.MINOR.PATCH */
  readonly version: string;
  readonly board: string;
  readonly architecture: string;
  /** Not below that of what was confirmed (docs/spec/keys.md#security-version); 0 where the image says nothing. */
  readonly securityVersion: number;
  /** What the whole image has at least, as the header says. */
  readonly leastBytes: number;
}

/** No header is longer, of any kind. */
export const IMAGE_HEAD_BYTES = ESP_HEADER_BYTES;

/**
 * @param bytes the first {@link IMAGE_HEAD_BYTES} of the image, or all where it has fewer
 * @throws {Fault} `image_invalid` for none of the known kinds, and for one with a fault
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const header = readSimulatorImage(bytes) ?? readEspImage(bytes);
  if (!header) throw imageInvalid("it is of no kind that a console runs");
  return header;
}
