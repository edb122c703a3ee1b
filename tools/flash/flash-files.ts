/**
 * Writes the image of a board's flash, and its manifest, from ESP-IDF's build directory. `flasher_args.json` there lists
 * what `idf.py flash` would write, and where:
 *
 *     { "flash_settings": { "flash_size": "16MB", … },
 *       "flash_files": { "0x0": "bootloader/bootloader.bin", … },
 *       "bootloader": { "offset": "0x0", … }, "partition-table": { … }, "app": { … }, … }
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { explainFailure, replaceFile } from "../files.js";
import type { Chip } from "./esp-image.js";
import { type FlashPart, mergeFlashImage } from "./flash-image.js";
import { flashManifest } from "./flash-manifest.js";

const ARGUMENTS = "flasher_args.json";

/** Names of the entries in `flasher_args.json`. */
const ROLES = Object.freeze({
  bootloader: "boot loader",
  "partition-table": "partition table",
  app: "app",
} as const);

/** Paths of the written files. */
export interface FlashFiles {
  readonly image: string;
  readonly manifest: string;
}

/**
 * @param build ESP-IDF's build directory
 * @param directory of the result; created if it is missing
 * @throws {Error} that names what is missing or wrong
 */
export async function writeFlashFiles(chip: Chip, build: string, directory: string): Promise<FlashFiles> {
  const { parts, flashSize } = await readParts(build);
  const { image, app, flashBytes } = mergeFlashImage(chip, parts);
  if (flashSize !== undefined && flashSize !== flashBytes)
    throw new Error(
      `"${ARGUMENTS}" is for a flash of ${flashSize} bytes, the boot loader for one of ${flashBytes}`,
    );
  const files = {
    image: path.join(directory, `console-${chip}.bin`),
    manifest: path.join(directory, "manifest.json"),
  };
  const manifest = flashManifest(chip, app.version, path.basename(files.image));
  await replaceFile(files.image, image);
  await replaceFile(files.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`);
  return files;
}

async function readParts(
  build: string,
): Promise<{ parts: readonly FlashPart[]; flashSize: number | undefined }> {
  const file = path.join(build, ARGUMENTS);
  const text = await explainFailure(`read "${file}"`, () => readFile(file, "utf8"));
  const listed = parseArguments(file, text);
  const parts = await Promise.all(
    listed.files.map(async ({ offset, name }) => {
      const source = path.resolve(build, name);
      const bytes = await explainFailure(`read "${source}"`, () => readFile(source));
      return { name, offset, bytes, role: listed.roles.get(offset) };
    }),
  );
  return { parts, flashSize: listed.flashSize };
}

function parseArguments(file: string, text: string) {
  const wrong = (reason: string) => new Error(`Cannot use "${file}": ${reason}`);
  const json = objectOf(parsed(text));
  const listed = objectOf(json?.["flash_files"]);
  if (!json || !listed) throw wrong("it does not list the files to flash");
  const files = Object.entries(listed).map(([place, name]) => {
    const offset = readOffset(place);
    if (offset === undefined) throw wrong(`"${place}" is not an offset`);
    if (typeof name !== "string") throw wrong(`it names no file at ${place}`);
    return { offset, name };
  });
  const roles = new Map<number | undefined, FlashPart["role"]>();
  for (const [entry, role] of Object.entries(ROLES))
    roles.set(readOffset(objectOf(json[entry])?.["offset"]), role);
  return { files, roles, flashSize: readSize(objectOf(json["flash_settings"])?.["flash_size"]) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported as a file that lists nothing
  }
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function readOffset(value: unknown): number | undefined {
  return typeof value === "string" && /^0x[0-9a-f]{1,8}$/i.test(value) ? Number(value) : undefined;
}

/** @returns bytes, or `undefined` where the programmer asks the flash, or keeps what the boot loader says */
function readSize(value: unknown): number | undefined {
  const [, mebibytes] = /^(\d{1,3})MB$/.exec(String(value)) ?? [];
  return mebibytes === undefined ? undefined : Number(mebibytes) * 1024 * 1024;
}
