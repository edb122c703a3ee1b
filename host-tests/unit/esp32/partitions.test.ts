/** The boards' flash (partitions.csv), and what of their configuration the firmware counts on. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readBoardConfiguration } from "../../../boards/board-configuration.js";
import { BUILDS, boardDirectory, root, titleOf } from "../../../boards/board-manifest.js";
import { BOARD_NAMES, type Board, ETHERNET } from "../../../boards/boards.js";

const MEBIBYTE = 1024 * 1024;
const SECTOR_BYTES = 4096;
/** What the chip maps at once: a program begins at a multiple of it. */
const PAGE_BYTES = 64 * 1024;
/** The boot loader, and the partition table behind it at 0x8000. */
const FIRST_OFFSET = 0x9000;

interface Flash {
  readonly flashBytes: number;
  readonly slotBytes: number;
}

const FLASHES: Readonly<Record<Board, Flash>> = {
  esp32s3: { flashBytes: 16 * MEBIBYTE, slotBytes: 4 * MEBIBYTE },
  esp32: { flashBytes: 8 * MEBIBYTE, slotBytes: 2.75 * MEBIBYTE },
};

interface Partition {
  readonly name: string;
  readonly kind: string;
  readonly offset: number;
  readonly byteLength: number;
}

function partitionsOf(board: Board): readonly Partition[] {
  return readFileSync(path.join(boardDirectory(board), "partitions.csv"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(",").map((field) => field.trim()))
    .map(([name = "", type, subtype, offset, size]) => ({
      name,
      kind: `${type} ${subtype}`,
      offset: Number(offset),
      byteLength: Number(size),
    }));
}

for (const board of BOARD_NAMES)
  describe(`the flash of ${board}`, () => {
    const { flashBytes, slotBytes } = FLASHES[board];
    const partitions = partitionsOf(board);
    const named = (name: string) => partitions.find((partition) => partition.name === name) as Partition;

    test("is filled by the partitions, from the first one on, without a gap or an overlap", () => {
      let offset = FIRST_OFFSET;
      for (const partition of partitions) {
        expect([partition.name, partition.offset]).toEqual([partition.name, offset]);
        offset += partition.byteLength;
      }
      expect(offset).toBe(flashBytes);
    });

    test("has partitions of whole sectors", () => {
      const broken = partitions.filter(
        ({ offset, byteLength }) => (offset | byteLength) % SECTOR_BYTES !== 0,
      );
      expect(broken).toEqual([]);
    });

    test(`has two slots of ${slotBytes / MEBIBYTE} MiB, which begin where the chip can map them`, () => {
      const slots = [named("ota_0"), named("ota_1")];
      expect(slots.map(({ kind }) => kind)).toEqual(["app ota_0", "app ota_1"]);
      expect(slots.map(({ byteLength }) => byteLength)).toEqual([slotBytes, slotBytes]);
      expect(slots.map(({ offset }) => offset % PAGE_BYTES)).toEqual([0, 0]);
    });

    test("has no factory image, so that the boot loader starts the first slot by default", () => {
      expect(partitions.filter(({ kind }) => kind === "app factory")).toEqual([]);
    });

    test("has two sectors for the boot loader's record, and the types that ESP-IDF expects", () => {
      expect(named("otadata")).toMatchObject({ kind: "data ota", byteLength: 2 * SECTOR_BYTES });
      expect(["nvs", "phy_init", "coredump"].map((name) => named(name).kind)).toEqual([
        "data nvs",
        "data phy",
        "data coredump",
      ]);
    });

    test("is that of docs/board.md", () => {
      const text = readFileSync(path.join(root, "docs/board.md"), "utf8");
      const storage = (named("storage").byteLength / MEBIBYTE).toFixed(1);
      expect(text).toContain(`${slotBytes / MEBIBYTE} MiB each`);
      expect(text).toContain(`${storage} MiB`);
    });
  });

const NEEDED = [
  "CONFIG_BOOTLOADER_APP_ROLLBACK_ENABLE=y",
  "CONFIG_SPIRAM=y",
  "CONFIG_ESP_TASK_WDT_EN=y",
  "CONFIG_ESP_TASK_WDT_PANIC=y",
  "CONFIG_ESP_COREDUMP_ENABLE_TO_FLASH=y",
  "CONFIG_ESP_SYSTEM_PANIC_PRINT_REBOOT=y",
  "CONFIG_ESP_CONSOLE_UART_DEFAULT=y",
  "CONFIG_LOG_DEFAULT_LEVEL_WARN=y",
  "CONFIG_FREERTOS_GENERATE_RUN_TIME_STATS=y",
];

/** The SDK's own choices, which a line of ours with `=y` does not take back by itself. */
const WITHOUT = [
  "CONFIG_ESPTOOLPY_FLASHSIZE_4MB",
  "CONFIG_ESP_SYSTEM_PANIC_GDBSTUB",
  "CONFIG_ESP_COREDUMP_ENABLE_TO_UART",
  "CONFIG_ESP_CONSOLE_NONE",
  "CONFIG_BOOTLOADER_LOG_LEVEL_NONE",
  "CONFIG_LOG_DEFAULT_LEVEL_NONE",
];

const OWN: Readonly<Record<Board, readonly string[]>> = {
  esp32s3: ["CONFIG_ESPTOOLPY_FLASHSIZE_16MB=y", "CONFIG_SPIRAM_MODE_OCT=y", "CONFIG_TINYUSB_CDC_ENABLED=y"],
  esp32: ["CONFIG_ESPTOOLPY_FLASHSIZE_8MB=y", "CONFIG_UART_ISR_IN_IRAM=y"],
};

const ETHERNET_SETTINGS = Object.freeze({
  rmii: "CONFIG_ETH_USE_ESP32_EMAC",
  w5500: "CONFIG_ETH_USE_SPI_ETHERNET",
  openeth: "CONFIG_ETH_USE_OPENETH",
});

for (const build of BUILDS)
  describe(`the configuration of ${titleOf(build)}`, async () => {
    const settings = await readBoardConfiguration(build.board, build.ethernet);

    for (const line of [...NEEDED, ...OWN[build.board], ...WITHOUT.map((name) => `${name}=n`)])
      test(`has ${line}`, () => {
        const [name = "", value] = line.split("=");
        expect(settings.get(name)).toBe(value);
      });

    test("belongs to one board", () => {
      const others = BOARD_NAMES.filter((board) => board !== build.board).flatMap((board) => OWN[board]);
      const present = [...settings].map(([name, value]) => `${name}=${value}`);
      expect(present.filter((line) => others.includes(line))).toEqual([]);
    });

    test("has the driver of its Ethernet, and no other", () => {
      const kind = build.ethernet && ETHERNET[build.ethernet].kind;
      const on = Object.entries(ETHERNET_SETTINGS).filter(([, name]) => settings.get(name) === "y");
      expect(on.map(([name]) => name)).toEqual(kind ? [kind] : []);
    });

    test("gives an image the project's version", () => {
      const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
      expect(settings.get("CONFIG_APP_PROJECT_VER")).toBe(`"${version}"`);
    });

    test("lets malloc allocate the XS machine in the chip's own memory, where a block of it is large enough", () => {
      const { creation } = JSON.parse(readFileSync(path.join(root, "device/manifest.json"), "utf8"));
      const byteLength = creation.static;
      expect(byteLength).toBeLessThanOrEqual(Number(settings.get("CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL")));
    });
  });
