/** The image of a board's whole flash, and its manifest, from small builds; what was written is read back. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAppDescription, readEspImage } from "../../../../tools/flash/esp-image.js";
import { writeFlashFiles } from "../../../../tools/flash/flash-files.js";
import { readFlashImage } from "../../../../tools/flash/flash-image.js";
import { readPartitionTable } from "../../../../tools/flash/partition-table.js";
import {
  type BuildFile,
  type BuildFiles,
  buildFiles,
  espImage,
  flashMebibytesOf,
  partitionsOf,
  partitionTable,
  writeBuild,
} from "../../../hosts/esp-build.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const CHIPS = [
  { chip: "esp32", family: "ESP32", bootLoader: 0x1000 },
  { chip: "esp32s3", family: "ESP32-S3", bootLoader: 0 },
] as const;

describe.each(CHIPS)("The image of the flash of $chip", ({ chip, family, bootLoader }) => {
  const files = buildFiles(chip);
  const merged = async () => {
    const build = path.join(directory.path, "build");
    writeBuild(build, files, `${flashMebibytesOf(chip)}MB`);
    const { image, manifest } = await writeFlashFiles(chip, build, path.join(directory.path, "image"));
    return { image, bytes: readFileSync(image), manifest: JSON.parse(readFileSync(manifest, "utf8")) };
  };

  test("has every part at its offset, and 0xFF between them", async () => {
    const { bytes } = await merged();
    const rest = Buffer.from(bytes);
    for (const { offset, bytes: part } of Object.values(files)) {
      expect(bytes.subarray(offset, offset + part.length).equals(part)).toBe(true);
      rest.fill(0xff, offset, offset + part.length);
    }
    expect(rest.every((byte) => byte === 0xff)).toBe(true);
    expect(bytes.length).toBe(files.app.offset + files.app.bytes.length);
    expect(bytes[bootLoader]).toBe(0xe9);
  });

  test("has the partitions of partitions.csv", async () => {
    const { bytes } = await merged();
    expect(readPartitionTable(bytes.subarray(0x8000))).toEqual(partitionsOf(chip));
  });

  test("is read back with its chip, flash size, version and project", async () => {
    const { bytes } = await merged();
    expect(readFlashImage(bytes)).toEqual({
      chip,
      flashBytes: flashMebibytesOf(chip) * 1024 * 1024,
      partitions: partitionsOf(chip),
      app: { version: "0.1.0", project: "xs_esp32" },
    });
  });

  test("has a manifest in the same directory, for the whole image at offset 0", async () => {
    const { image, manifest } = await merged();
    expect(manifest).toEqual({
      name: "SVC console",
      version: "0.1.0",
      new_install_prompt_erase: true,
      builds: [{ chipFamily: family, parts: [{ path: path.basename(image), offset: 0 }] }],
    });
  });

  test("is the same for the same build", async () => {
    expect((await merged()).bytes.equals((await merged()).bytes)).toBe(true);
  });
});

type Change = (files: BuildFiles) => Partial<Record<keyof BuildFiles, BuildFile>>;

const APP = 0x20000;
const WRONG_BUILDS: readonly { name: string; change: Change; problem: string; flashSize?: string }[] = [
  {
    name: "a boot loader at the ESP32's offset",
    change: ({ bootloader }) => ({ bootloader: { ...bootloader, offset: 0x1000 } }),
    problem: 'Cannot place "bootloader/bootloader.bin" at 0x1000: the boot loader of the ESP32-S3 is at 0x0',
  },
  {
    name: "a partition table at another offset",
    change: (files) => ({ "partition-table": { ...files["partition-table"], offset: 0x9000 } }),
    problem:
      'Cannot place "partition_table/partition-table.bin" at 0x9000: the partition table of the ESP32-S3 is at 0x8000',
  },
  {
    name: "a boot loader for another chip",
    change: () => ({ bootloader: { offset: 0, bytes: espImage({ chipId: 0 }) } }),
    problem: 'Cannot use "bootloader/bootloader.bin": it is for the ESP32, not for the ESP32-S3',
  },
  {
    name: "an app for another chip",
    change: () => ({ app: { offset: APP, bytes: espImage({ chipId: 0, app: {} }) } }),
    problem: 'Cannot use "xs_esp32.bin": it is for the ESP32, not for the ESP32-S3',
  },
  {
    name: "an app for a chip without a board",
    change: () => ({ app: { offset: APP, bytes: espImage({ chipId: 5, app: {} }) } }),
    problem: 'Cannot use "xs_esp32.bin": it is for another chip, with id 5',
  },
  {
    name: "a boot loader that is no image",
    change: () => ({ bootloader: { offset: 0, bytes: Buffer.alloc(64) } }),
    problem: 'Cannot use "bootloader/bootloader.bin": it is not an image of ESP-IDF',
  },
  {
    name: "an app that is cut off",
    change: () => ({ app: { offset: APP, bytes: espImage({ app: {} }).subarray(0, -1) } }),
    problem: 'Cannot use "xs_esp32.bin": it is cut off',
  },
  {
    name: "an app with a changed byte",
    change: ({ app }) => {
      const bytes = Buffer.from(app.bytes);
      bytes[300] = (bytes[300] as number) ^ 1;
      return { app: { offset: APP, bytes } };
    },
    problem: 'Cannot use "xs_esp32.bin": it is damaged',
  },
  {
    name: "an app without a description",
    change: () => ({ app: { offset: APP, bytes: espImage({ payload: Buffer.alloc(200) }) } }),
    problem: 'Cannot use "xs_esp32.bin": it has no description of an app',
  },
  {
    name: "an app in a partition for data",
    change: ({ app }) => ({ app: { ...app, offset: 0x820000 } }),
    problem: 'Cannot place "xs_esp32.bin" at 0x820000: no partition for an app begins there',
  },
  {
    name: "an app behind the beginning of its partition",
    change: ({ app }) => ({ app: { ...app, offset: APP + 0x1000 } }),
    problem: 'Cannot place "xs_esp32.bin" at 0x21000: no partition for an app begins there',
  },
  {
    name: "an app larger than its partition",
    change: () => ({
      app: { offset: APP, bytes: espImage({ app: {}, payload: new Uint8Array(0x400000) }) },
    }),
    problem:
      'Cannot place "xs_esp32.bin" at 0x20000: it has 4194640 bytes, and 4194304 of the partition "ota_0" are left there',
  },
  {
    name: "a record of the slot that leaves its partition",
    change: ({ otadata }) => ({ otadata: { ...otadata, offset: 0x1f000 } }),
    problem:
      'Cannot place "ota_data_initial.bin" at 0x1f000: it has 8192 bytes, and 4096 of the partition "otadata" are left there',
  },
  {
    name: "a part outside of the partitions",
    change: ({ otadata }) => ({ otadata: { ...otadata, offset: 0x4000 } }),
    problem: 'Cannot place "ota_data_initial.bin" at 0x4000: no partition is there',
  },
  {
    name: "a part outside of the flash",
    change: ({ otadata }) => ({ otadata: { ...otadata, offset: 0xfff000 } }),
    problem: 'Cannot place "ota_data_initial.bin" at 0xfff000: it has 8192 bytes, the flash 16777216',
  },
  {
    name: "an empty part",
    change: ({ otadata }) => ({ otadata: { ...otadata, bytes: new Uint8Array() } }),
    problem: 'Cannot place "ota_data_initial.bin": it is empty',
  },
  {
    name: "a boot loader that reaches into the partition table",
    change: () => ({ bootloader: { offset: 0, bytes: espImage({ payload: new Uint8Array(0x8000) }) } }),
    problem: 'Cannot place "bootloader/bootloader.bin" at 0x0: it has 32848 bytes, and 32768 are left there',
  },
  {
    name: "parts that overlap",
    change: ({ otadata }) => ({ otadata: { ...otadata, offset: APP + 0x100 } }),
    problem: '"xs_esp32.bin" ends at 0x20150, behind the beginning of "ota_data_initial.bin" at 0x20100',
  },
  {
    name: "a partition table that is none",
    change: () => ({ "partition-table": { offset: 0x8000, bytes: Buffer.alloc(0xc00, 0xff) } }),
    problem: 'Cannot use "partition_table/partition-table.bin": it is not a partition table',
  },
  {
    name: "a partition table with a changed byte",
    change: () => {
      const bytes = partitionTable("esp32s3");
      bytes[4] = 1;
      return { "partition-table": { offset: 0x8000, bytes } };
    },
    problem: 'Cannot use "partition_table/partition-table.bin": its MD5 is wrong',
  },
  {
    name: "a partition table without its MD5",
    change: () => ({
      "partition-table": { offset: 0x8000, bytes: partitionTable("esp32s3").subarray(0, 64) },
    }),
    problem: 'Cannot use "partition_table/partition-table.bin": its MD5 is missing',
  },
  {
    name: "partitions for a larger flash",
    change: () => ({ bootloader: { offset: 0, bytes: espImage({ flashMebibytes: 8 }) } }),
    problem: 'The partition "ota_1" ends behind the flash of 8388608 bytes',
  },
  {
    name: "a boot loader for another flash than the rest of the build",
    change: () => ({}),
    flashSize: "8MB",
    problem: '"flasher_args.json" is for a flash of 8388608 bytes, the boot loader for one of 16777216',
  },
];

describe("No image is written of a build that has", () => {
  for (const { name, change, problem, flashSize } of WRONG_BUILDS)
    test(name, async () => {
      const files = buildFiles("esp32s3");
      writeBuild(directory.path, { ...files, ...change(files) }, flashSize);
      await expect(writeFlashFiles("esp32s3", directory.path, directory.path)).rejects.toThrow(
        expect.objectContaining({ message: problem }),
      );
    });

  test.each(["xs_esp32.bin", "bootloader/bootloader.bin", "flasher_args.json"])("no %s", async (name) => {
    writeBuild(directory.path, buildFiles("esp32s3"));
    const file = path.join(directory.path, name);
    rmSync(file);
    await expect(writeFlashFiles("esp32s3", directory.path, directory.path)).rejects.toThrow(
      `Cannot read "${file}": no such file or directory`,
    );
  });

  test("no boot loader for its chip", async () => {
    writeBuild(directory.path, buildFiles("esp32"));
    await expect(writeFlashFiles("esp32s3", directory.path, directory.path)).rejects.toThrow(
      'Cannot place "bootloader/bootloader.bin" at 0x1000: the boot loader of the ESP32-S3 is at 0x0',
    );
  });

  const LISTS: readonly [text: string, problem: string][] = [
    ["", "it does not list the files to flash"],
    ["null", "it does not list the files to flash"],
    ['{"flash_files":3}', "it does not list the files to flash"],
    ['{"flash_files":{"zero":"x"}}', '"zero" is not an offset'],
    ['{"flash_files":{"0x0":3}}', "it names no file at 0x0"],
  ];
  test.each(LISTS)("%j for a list of files", async (text, problem) => {
    const file = path.join(directory.path, "flasher_args.json");
    writeFileSync(file, text);
    await expect(writeFlashFiles("esp32s3", directory.path, directory.path)).rejects.toThrow(
      `Cannot use "${file}": ${problem}`,
    );
  });

  const ROLES = [
    ["bootloader", "boot loader"],
    ["partition-table", "partition table"],
    ["app", "app"],
  ] as const;
  test.each(ROLES)("no entry for its %s", async (entry, role) => {
    writeBuild(directory.path, buildFiles("esp32s3"));
    const file = path.join(directory.path, "flasher_args.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), [entry]: undefined }));
    await expect(writeFlashFiles("esp32s3", directory.path, directory.path)).rejects.toThrow(
      `The build has no ${role}`,
    );
  });
});

describe("An image of the flash cannot be read back", () => {
  const IMAGES: readonly [name: string, bytes: Uint8Array, problem: string][] = [
    ["without a byte", new Uint8Array(), "there is no boot loader in it"],
    ["from erased flash", Buffer.alloc(0x100000, 0xff), "there is no boot loader in it"],
    ["that is an app only", espImage({ app: {} }), "it is not a partition table"],
    [
      "with the ESP32-S3's boot loader at the ESP32's offset",
      shifted(),
      "it is for the ESP32-S3, not for the ESP32",
    ],
  ];
  for (const [name, bytes, problem] of IMAGES)
    test(name, () => expect(() => readFlashImage(bytes)).toThrow(problem));

  function shifted(): Uint8Array {
    const bytes = Buffer.alloc(0x10000, 0xff);
    bytes.set(espImage({ chipId: 9 }), 0x1000);
    return bytes;
  }
});

test("an image without a digest, and with its checksum in a block of its own, is read to its end", () => {
  const image = espImage({ payload: Buffer.alloc(16), isDigested: false });
  expect(readEspImage(Buffer.concat([image, Buffer.alloc(7)]))).toMatchObject({ byteLength: image.length });
  expect(image.length).toBe(64);
});

test("a version without an end is read to the end of its field", () => {
  expect(readAppDescription(espImage({ app: { version: "1".repeat(32) } })).version).toBe("1".repeat(32));
});

test("an image with any byte cut off or changed is refused, or is another whole image", () => {
  const image = espImage({ app: {} });
  for (let end = 0; end < image.length; end++)
    expect(() => readEspImage(image.subarray(0, end))).toThrow(/^it is (not an image of ESP-IDF|cut off)$/);
  for (let at = 0; at < image.length; at++) {
    const changed = Buffer.from(image);
    changed[at] = (changed[at] as number) ^ 0x80;
    try {
      expect([at, readEspImage(changed).chip]).toEqual([23, "esp32s3"]); // the flag that a digest follows
    } catch (error) {
      expect((error as Error).message).toMatch(/^it is (not an image|cut off|damaged|for another chip)/);
    }
  }
});
