/** What headers of images have in common: texts of a fixed room that end in a zero. */
import { Fault } from "../fault.js";
import { parseVersion } from "../version.js";

/**
 * The text in the `byteLength` bytes at `offset`, which a zero ends.
 * @param what how a message calls it
 * @throws {Fault} `image_invalid` where it is empty, does not end, or is not ASCII that can be seen
 */
export function readText(bytes: Uint8Array, offset: number, byteLength: number, what: string): string {
  const field = bytes.subarray(offset, offset + byteLength);
  const end = field.indexOf(0);
  const text = field.subarray(0, end);
  if (end <= 0 || !text.every(isVisible)) throw imageInvalid(`its ${what} is no text`);
  return String.fromCharCode(...text);
}

/**
 * The version in such a text.
 * @throws {Fault} `image_invalid` for what is none
 */
export function readVersion(bytes: Uint8Array, offset: number, byteLength: number): string {
  const version = readText(bytes, offset, byteLength, "version");
  if (!parseVersion(version)) throw imageInvalid(`its version "${version}" is not MAJOR.MINOR.PATCH`);
  return version;
}

export function imageInvalid(reason: string): Fault {
  return new Fault("image_invalid", `Cannot take the image: ${reason}`);
}

function isVisible(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}
