/** What the project of ESP-IDF is given (boards/esp-idf/builder). */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BOARD_NAMES } from "../../../../boards/boards.js";
import { hostModules } from "../../../../boards/esp-idf/builder/host-modules.js";
import { settingsOf } from "../../../../boards/esp-idf/builder/idf.js";
import { definesOf, mergedDefines } from "../../../../boards/esp-idf/builder/project.js";
import { projectSources } from "../../../../boards/esp-idf/builder/sources.js";
import {
  manifestsOf,
  nameOf,
  settingsFiles,
  type Target,
} from "../../../../boards/esp-idf/builder/target.js";
import { CertificateMaker } from "../../../hosts/certificates.js";
import { isMissing } from "../../../hosts/peers.js";

const root = path.join(import.meta.dirname, "../../../..");
const PARTITIONS = path.join(root, "device/hosts/esp32/boards/esp32s3/partitions.csv");

const boardOf = (board: Target["board"], isEmulated = false): Target => ({
  board,
  ethernet: undefined,
  isEmulated,
});
const TARGETS: readonly Target[] = [
  ...BOARD_NAMES.flatMap((board) => [boardOf(board), boardOf(board, true)]),
  { board: "esp32", ethernet: "lan8720", isEmulated: false },
  { board: "esp32s3", ethernet: "w5500", isEmulated: false },
];

describe.each(TARGETS.map((target) => ({ name: nameOf(target), target })))(
  "the project for $name",
  ({ target }) => {
    test("has every source and folder of headers, and no two objects of one name", async () => {
      const { engine, interpreter, host, includes } = await projectSources(target);
      const sources = [...interpreter, ...host];
      expect(sources.filter((file) => !existsSync(file))).toEqual([]);
      expect(includes.filter((folder) => !existsSync(folder))).toEqual([]);
      const names = [...engine, ...sources].map((file) => path.basename(file));
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    });

    test("defines every host function that a module names", async () => {
      const { host } = await projectSources(target);
      const defined = (await Promise.all(host.map((file) => readFile(file, "utf8")))).join("\n");
      const texts = (await hostModules({})).map(({ bytes }) => Buffer.from(bytes).toString());
      const named = texts.flatMap((text) =>
        [...text.matchAll(/\b[nN]ative\("(xs_\w+)"\)/g)].map(([, name]) => name),
      );
      expect(named.length).toBeGreaterThan(50);
      expect(named.filter((name) => !defined.includes(`void ${name}(`))).toEqual([]);
    });
  },
);

test("the board's modules replace the desktop's, and nothing of the Moddable SDK is among them", async () => {
  const modules = await hostModules({ httpPort: 8080 });
  const textOf = (specifier: string) =>
    modules.find((module) => module.specifier === specifier)?.bytes.toString() ?? "";
  expect(textOf("svc/system")).toContain('architecture: "xtensa"');
  expect(textOf("svc/wifi")).toContain("xs_wifi_scan");
  expect(textOf("mc/config")).toBe('export default Object.freeze({"httpPort":8080});');
  expect(modules.map(({ specifier }) => specifier).filter((name) => name.startsWith("setup/"))).toEqual([]);
});

/** What an emulator of a chip has, and its board has not, or otherwise. All other objects are made of the same. */
describe("an emulator differs from its board", () => {
  const DRIVERS = ["wifi-access-point.c", "wifi-driver.c", "wifi-station.c"];
  const ETHERNET = ["board-ethernet.c", "ethernet-link.c", "ethernet-openeth.c"];
  const BRIDGE = ["board-uart.c", "log-lines.c", "uart-opener.c"];
  test.each([
    { board: "esp32s3", left: [...DRIVERS, "board-usb.c"], added: ["no-radio.c", ...ETHERNET, ...BRIDGE] },
    { board: "esp32", left: DRIVERS, added: ["no-radio.c", ...ETHERNET] },
  ] as const)("by these files: $board", async ({ board, left, added }) => {
    const namesOf = async (target: Target) =>
      (await projectSources(target)).host.map((file) => path.basename(file));
    const [real, emulated] = [await namesOf(boardOf(board)), await namesOf(boardOf(board, true))];
    expect(real.filter((name) => !emulated.includes(name)).sort()).toEqual([...left].sort());
    expect(emulated.filter((name) => !real.includes(name)).sort()).toEqual([...added].sort());
  });

  test.each(BOARD_NAMES)("by these settings of ESP-IDF: %s", (board) => {
    const added = settingsFiles(boardOf(board, true)).filter(
      (file) => !settingsFiles(boardOf(board)).includes(file),
    );
    const text = added.map((file) => readFileSync(file, "utf8")).join("");
    expect(text.match(/^CONFIG_\w+/gm)).toEqual([
      "CONFIG_ETH_USE_OPENETH",
      "CONFIG_ETH_USE_ESP32_EMAC",
      "CONFIG_SPIRAM_SPEED_40M",
      "CONFIG_ESP_INT_WDT_TIMEOUT_MS",
    ]);
  });

  test("by these values for C, and by the files that take one of them", async () => {
    const linesOf = async (target: Target) => {
      const manifests = await manifestsOf(target);
      const merged = manifests.reduce<Readonly<Record<string, unknown>>>(
        (earlier, { defines = {} }) => mergedDefines(earlier, defines),
        {},
      );
      return definesOf(merged).split("\n");
    };
    const real = await linesOf(boardOf("esp32s3"));
    const changed = (await linesOf(boardOf("esp32s3", true))).filter((line) => !real.includes(line));
    const macros = changed.map((line) => line.split(" ")[1] ?? "");
    expect(macros.filter((name) => !name.startsWith("MODDEF_BUTTONS_"))).toEqual([
      ...["MODDEF_DISPLAY_SELECT", "MODDEF_DISPLAY_RESET", "MODDEF_DISPLAY_BACKLIGHT"],
      ...["MODDEF_CARD_SELECT", "MODDEF_ETHERNET_ADDRESS", "MODDEF_UART_BAUD"],
    ]);
    const { host } = await projectSources(boardOf("esp32s3"));
    const takers = host.filter((file) => {
      const text = readFileSync(file, "utf8");
      return macros.some((name) => new RegExp(`\\b${name}\\b`).test(text));
    });
    expect(takers.map((file) => path.basename(file)).sort()).toEqual([
      ...["backlight.c", "panel.c", "pin-map.c", "sd-drive.c", "start.c"],
    ]);
  });
});

test("a component is had in one version", () => {
  const text = readFileSync(path.join(root, "boards/esp-idf/project/main/idf_component.yml"), "utf8");
  const versions = [...text.matchAll(/"(==\S+)"/g)].map(([, version]) => version);
  expect(versions).toEqual(["==1.20.4", "==2.1.1", "==0.19.0~2"]);
});

test("defines of a later manifest replace single values of an earlier one", () => {
  const board = { chip: "#ESP32", display: { select: 15, dc: 2 }, pins: { free: [18, 19] } };
  const merged = mergedDefines(board, { display: { select: -1 }, radio: { absent: 1 } });
  expect(definesOf(merged)).toBe(
    [
      '#define MODDEF_CHIP "ESP32"',
      "#define MODDEF_DISPLAY_SELECT -1",
      "#define MODDEF_DISPLAY_DC 2",
      "#define MODDEF_PINS_FREE { 18, 19 }",
      "#define MODDEF_RADIO_ABSENT 1",
      "",
    ].join("\n"),
  );
});

test("an image says its version, and trusts ESP-IDF's authorities unless others are named", async () => {
  expect(await settingsOf({ board: "esp32s3" }, { version: "7.8.9" })).toBe(
    `CONFIG_APP_PROJECT_VER="7.8.9"\nCONFIG_PARTITION_TABLE_CUSTOM_FILENAME="${PARTITIONS}"\n`,
  );
});

test.skipIf(isMissing("openssl"))(
  "an image with --hub-ca trusts the authorities of the file alone, and no server's certificate (skipped without openssl)",
  async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "idf-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const maker = new CertificateMaker(directory);
    const hubCa = maker.save(maker.make({ commonName: "Authority", isAuthority: true }));
    expect((await settingsOf({ board: "esp32s3" }, { version: "7.8.9", hubCa })).split("\n")).toEqual([
      'CONFIG_APP_PROJECT_VER="7.8.9"',
      `CONFIG_PARTITION_TABLE_CUSTOM_FILENAME="${PARTITIONS}"`,
      "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_FULL=n",
      "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_NONE=y",
      "CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE=y",
      `CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE_PATH="${hubCa}"`,
      "",
    ]);
    const server = maker.save(maker.make({ commonName: "Server", names: ["DNS:hub.example"] }));
    await expect(settingsOf({ board: "esp32s3" }, { version: "7.8.9", hubCa: server })).rejects.toThrow(
      /certificate authorities/,
    );
  },
);
