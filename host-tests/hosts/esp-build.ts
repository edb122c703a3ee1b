/** Small builds of ESP-IDF for tests: images with headers and digests as on a chip, and a partition table. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CHIPS, type Chip } from "../../tools/flash/esp-image.js";

const directory = path.join(import.meta.dirname, "../../device/hosts/esp32/boards");

/** The board of each chip has one of these. */
const PARTITIONS: Readonly<Record<Chip, string>> = {
  esp32: path.join(directory, "esp32/partitions.csv"),
  esp32s3: path.join(directory, "esp32s3/partitions.csv"),
};

const MEBIBYTE = 1024 * 1024;

export interface Row {
  readonly name: string;
  readonly type: number;
  readonly subtype: number;
  readonly offset: number;
  readonly byteLength: number;
}

const TYPES: Readonly<Record<string, number>> = { app: 0, data: 1 };
const SUBTYPES: Readonly<Record<string, number>> = {
  "app factory": 0,
  "app ota_0": 0x10,
  "app ota_1": 0x11,
  "data ota": 0,
  "data phy": 1,
  "data nvs": 2,
  "data coredump": 3,
};

/** The partitions of the board with that chip. */
export function partitionsOf(chip: Chip): readonly Row[] {
  return readFileSync(PARTITIONS[chip], "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(",").map((field) => field.trim()))
    .map(([name = "", type = "", subtype = "", offset, size]) => ({
      name,
      type: TYPES[type] ?? Number(type),
      subtype: SUBTYPES[`${type} ${subtype}`] ?? Number(subtype),
      offset: Number(offset),
      byteLength: Number(size),
    }));
}

/** The table as `gen_esp32part.py` of ESP-IDF writes it. */
export function partitionTable(chip: Chip): Buffer {
  const rows = partitionsOf(chip);
  const entries = Buffer.concat(
    rows.map(({ name, type, subtype, offset, byteLength }) => {
      const entry = Buffer.alloc(32);
      entry.set([0xaa, 0x50, type, subtype]);
      entry.writeUInt32LE(offset, 4);
      entry.writeUInt32LE(byteLength, 8);
      entry.write(name, 12, 16, "utf8");
      return entry;
    }),
  );
  const md5 = Buffer.alloc(32, 0xff).fill(0xeb, 0, 2);
  createHash("md5").update(entries).digest().copy(md5, 16);
  return Buffer.concat([entries, md5, Buffer.alloc(0xc00 - entries.length - md5.length, 0xff)]);
}

export interface ImageOptions {
  /** 0: ESP32, 9: ESP32-S3. */
  readonly chipId?: number;
  readonly flashMebibytes?: number;
  /** An app, with its description. */
  readonly app?: { readonly version?: string; readonly project?: string } | undefined;
  readonly payload?: Uint8Array;
  readonly isDigested?: boolean;
}

/** A boot loader, or an app, of one segment. */
export function espImage({
  chipId = 9,
  flashMebibytes = 16,
  app,
  payload = Buffer.from("program"),
  isDigested = true,
}: ImageOptions = {}): Buffer {
  const segment = Buffer.concat([app ? description(app) : Buffer.alloc(0), payload]);
  const header = Buffer.alloc(32);
  header.set([0xe9, 1, 2, Math.log2(flashMebibytes) << 4]);
  header.writeUInt16LE(chipId, 12);
  header[23] = isDigested ? 1 : 0;
  header.writeUInt32LE(0x3f400020, 24);
  header.writeUInt32LE(segment.length, 28);
  const bytes = Buffer.concat([header, segment]);
  const image = Buffer.concat([bytes, Buffer.alloc(16 - (bytes.length % 16))]);
  image[image.length - 1] = segment.reduce((sum, byte) => sum ^ byte, 0xef);
  return isDigested ? Buffer.concat([image, createHash("sha256").update(image).digest()]) : image;
}

function description({ version = "0.1.0", project = "xs_esp32" }): Buffer {
  const bytes = Buffer.alloc(256);
  bytes.writeUInt32LE(0xabcd5432, 0);
  bytes.write(version, 16, 32, "utf8");
  bytes.write(project, 48, 32, "utf8");
  return bytes;
}

/** A file of a build, as `flasher_args.json` names it. */
export interface BuildFile {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The files of a build, by role. The names are those of ESP-IDF. */
export type BuildFiles = Readonly<Record<keyof typeof NAMES, BuildFile>>;

const NAMES = {
  bootloader: "bootloader/bootloader.bin",
  "partition-table": "partition_table/partition-table.bin",
  otadata: "ota_data_initial.bin",
  app: "xs_esp32.bin",
};

/** Size of the flash that the partitions of the board with that chip fill. */
export function flashMebibytesOf(chip: Chip): number {
  return Math.max(...partitionsOf(chip).map(({ offset, byteLength }) => offset + byteLength)) / MEBIBYTE;
}

/** A build for one of the chips, with its board's partitions. */
export function buildFiles(chip: Chip): BuildFiles {
  const { id: chipId, bootLoaderOffset } = CHIPS[chip];
  const offsetOf = (name: string) => partitionsOf(chip).find((row) => row.name === name)?.offset as number;
  const bootLoader = espImage({ chipId, flashMebibytes: flashMebibytesOf(chip) });
  return {
    bootloader: { offset: bootLoaderOffset, bytes: bootLoader },
    "partition-table": { offset: 0x8000, bytes: partitionTable(chip) },
    otadata: { offset: offsetOf("otadata"), bytes: Buffer.alloc(0x2000, 0xff) },
    app: { offset: offsetOf("ota_0"), bytes: espImage({ chipId, app: {} }) },
  };
}

const hex = (offset: number) => `0x${offset.toString(16)}`;

/** Writes a build into `directory`, as ESP-IDF leaves it. */
export function writeBuild(directory: string, files: BuildFiles, flashSize = "keep"): void {
  const entries = Object.entries(files) as [keyof typeof NAMES, BuildFile][];
  for (const [role, { bytes }] of entries) {
    const file = path.join(directory, NAMES[role]);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  const listed = {
    write_flash_args: ["--flash_mode", "dio", "--flash_size", flashSize, "--flash_freq", "80m"],
    flash_settings: { flash_mode: "dio", flash_size: flashSize, flash_freq: "80m" },
    flash_files: Object.fromEntries(entries.map(([role, { offset }]) => [hex(offset), NAMES[role]])),
    ...Object.fromEntries(
      entries.map(([role, { offset }]) => [
        role,
        { offset: hex(offset), file: NAMES[role], encrypted: "false" },
      ]),
    ),
    extra_esptool_args: { after: "hard_reset", before: "default_reset", stub: true },
  };
  writeFileSync(path.join(directory, "flasher_args.json"), JSON.stringify(listed));
}
