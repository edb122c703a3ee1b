/** The board's flash (device/hosts/esp32/partitions.csv), and what of its configuration the firmware counts on. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { boardDirectory, root } from "./board-manifest.js";

const MEBIBYTE = 1024 * 1024;
const FLASH_BYTES = 16 * MEBIBYTE;
const SECTOR_BYTES = 4096;
/** What the chip maps at once: a program begins at a multiple of it. */
const PAGE_BYTES = 64 * 1024;
/** The boot loader, and the partition table behind it at 0x8000. */
const FIRST_OFFSET = 0x9000;

interface Partition {
  readonly name: string;
  readonly kind: string;
  readonly offset: number;
  readonly byteLength: number;
}

const partitions: readonly Partition[] = readFileSync(path.join(boardDirectory, "partitions.csv"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split(",").map((field) => field.trim()))
  .map(([name = "", type, subtype, offset, size]) => ({
    ...{ name, kind: `${type} ${subtype}` },
    ...{ offset: Number(offset), byteLength: Number(size) },
  }));

const named = (name: string) => partitions.find((partition) => partition.name === name) as Partition;
const settings = readFileSync(path.join(boardDirectory, "sdkconfig/sdkconfig.defaults"), "utf8").split("\n");

test("the partitions fill the flash from the first one on, without a gap or an overlap", () => {
  let offset = FIRST_OFFSET;
  for (const partition of partitions) {
    expect([partition.name, partition.offset]).toEqual([partition.name, offset]);
    offset += partition.byteLength;
  }
  expect(offset).toBe(FLASH_BYTES);
});

test("every partition consists of whole sectors", () => {
  const broken = partitions.filter(({ offset, byteLength }) => (offset | byteLength) % SECTOR_BYTES !== 0);
  expect(broken).toEqual([]);
});

test("the slots have the same size, hold 4 MiB, and begin where the chip can map them", () => {
  const slots = [named("ota_0"), named("ota_1")];
  expect(slots.map(({ kind }) => kind)).toEqual(["app ota_0", "app ota_1"]);
  expect(slots.map(({ byteLength }) => byteLength)).toEqual([4 * MEBIBYTE, 4 * MEBIBYTE]);
  expect(slots.map(({ offset }) => offset % PAGE_BYTES)).toEqual([0, 0]);
});

test("there is no factory image, so that the boot loader starts the first slot by default", () => {
  expect(partitions.filter(({ kind }) => kind === "app factory")).toEqual([]);
});

test("the boot loader's record has two sectors, and all partitions have the types that ESP-IDF expects", () => {
  expect(named("otadata")).toMatchObject({ kind: "data ota", byteLength: 2 * SECTOR_BYTES });
  expect(["nvs", "phy_init", "coredump"].map((name) => named(name).kind)).toEqual([
    "data nvs",
    "data phy",
    "data coredump",
  ]);
});

const NEEDED = [
  "CONFIG_ESPTOOLPY_FLASHSIZE_16MB=y",
  "CONFIG_BOOTLOADER_APP_ROLLBACK_ENABLE=y",
  "CONFIG_SPIRAM_MODE_OCT=y",
  "CONFIG_ESP_TASK_WDT_EN=y",
  "CONFIG_ESP_TASK_WDT_PANIC=y",
  "CONFIG_ESP_COREDUMP_ENABLE_TO_FLASH=y",
  "CONFIG_ESP_SYSTEM_PANIC_PRINT_REBOOT=y",
  "CONFIG_ESP_CONSOLE_UART_DEFAULT=y",
  "CONFIG_LOG_DEFAULT_LEVEL_WARN=y",
  "CONFIG_FREERTOS_GENERATE_RUN_TIME_STATS=y",
  "CONFIG_TINYUSB_CDC_ENABLED=y",
];
for (const line of NEEDED)
  test(`the board is configured with ${line}`, () => expect(settings).toContain(line));

/** The SDK's own choices, which a line of ours with `=y` does not take back by itself. */
const CHOICES = [
  "CONFIG_ESPTOOLPY_FLASHSIZE_4MB",
  "CONFIG_ESP_SYSTEM_PANIC_GDBSTUB",
  "CONFIG_ESP_COREDUMP_ENABLE_TO_UART",
  "CONFIG_ESP_CONSOLE_NONE",
  "CONFIG_BOOTLOADER_LOG_LEVEL_NONE",
  "CONFIG_LOG_DEFAULT_LEVEL_NONE",
];
for (const name of CHOICES)
  test(`the board is configured without the SDK's ${name}`, () => expect(settings).toContain(`${name}=n`));

test("the XS machine is small enough for malloc to allocate it in the chip's own memory", () => {
  const manifest = JSON.parse(readFileSync(path.join(root, "device/manifest.json"), "utf8"));
  const limit = settings.find((line) => line.startsWith("CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL="));
  expect(manifest.creation.static).toBeLessThanOrEqual(Number(limit?.split("=")[1]));
});

test("an image has the project's version", () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(settings).toContain(`CONFIG_APP_PROJECT_VER="${version}"`);
});
