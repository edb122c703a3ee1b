/** Images and bundles of firmware for tests, built and packed as a developer's are. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSimulatorImage } from "../../boards/moddable/firmware.js";
import { findSdk } from "../../boards/moddable/sdk.js";
import { writeBundle } from "../../protocol/firmware/bundle-writer.js";
import { buildFirmware } from "../../tools/firmware.js";
import type { FirmwareOptions } from "../../tools/firmware-modules.js";
import { isModdable } from "./moddable.js";
import { NodeCrc32 } from "./node-bytes.js";
import type { Publisher } from "./publisher.js";

const images = new Map<string, Promise<Uint8Array>>();

/** An image of the sources, or one that is broken; built once. */
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

/** For the console that the tests drive. */
function buildImage(file: string, options: FirmwareOptions): Promise<string> {
  return isModdable
    ? buildSimulatorImage(findSdk(process.env, "sim"), file, options)
    : buildFirmware(file, options);
}

/** A bundle of it that the publisher has signed. */
export function bundleOf(image: Uint8Array, publisher: Publisher): Uint8Array {
  return writeBundle({ image, Crc32: NodeCrc32, sign: (message) => publisher.signBytes(message) });
}

export async function firmwareBundle(options: FirmwareOptions, publisher: Publisher): Promise<Uint8Array> {
  return bundleOf(await firmwareImage(options), publisher);
}

/** An image of so many bytes that starts as this one does: what follows its program is of no meaning. */
export function padded(image: Uint8Array, byteLength: number): Uint8Array {
  const longer = new Uint8Array(byteLength);
  longer.set(image);
  return longer;
}
