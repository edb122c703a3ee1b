/** Firmware images and bundles for tests, built and packed with the developers' own tools. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSimulatorImage } from "../../boards/moddable/firmware.js";
import { findSdk } from "../../boards/moddable/sdk.js";
import { buildFirmware } from "../../engine/program/firmware.js";
import type { FirmwareOptions } from "../../engine/program/firmware-modules.js";
import { writeBundle } from "../../protocol/firmware/bundle-writer.js";
import { isModdable } from "./moddable.js";
import { NodeCrc32 } from "./node-bytes.js";
import type { Publisher } from "./publisher.js";

const images = new Map<string, Promise<Uint8Array>>();

/** Returns an image of these sources, or a broken one as `options` say; builds each only once. */
export function firmwareImage(options: FirmwareOptions): Promise<Uint8Array> {
  const key = JSON.stringify(options);
  const image = images.get(key) ?? build(options);
  images.set(key, image);
  return image;
}

async function build(options: FirmwareOptions): Promise<Uint8Array> {
  const directory = mkdtempSync(path.join(tmpdir(), "firmware-"));
  try {
    const file = path.join(directory, "firmware.img");
    return readFileSync(await buildImage(file, options));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Builds an image for the kind of console under test. */
function buildImage(file: string, options: FirmwareOptions): Promise<string> {
  return isModdable
    ? buildSimulatorImage(findSdk(process.env, "sim"), file, options)
    : buildFirmware(file, options);
}

/** Packs `image` into a bundle signed by `publisher`. */
export function bundleOf(image: Uint8Array, publisher: Publisher): Uint8Array {
  return writeBundle({ image, Crc32: NodeCrc32, sign: (message) => publisher.signBytes(message) });
}

export async function firmwareBundle(options: FirmwareOptions, publisher: Publisher): Promise<Uint8Array> {
  return bundleOf(await firmwareImage(options), publisher);
}

/** Returns `image` zero-padded to `byteLength`; the console ignores bytes after the program. */
export function padded(image: Uint8Array, byteLength: number): Uint8Array {
  const longer = new Uint8Array(byteLength);
  longer.set(image);
  return longer;
}
