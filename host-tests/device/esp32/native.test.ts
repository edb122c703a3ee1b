/**
 * The boards' C on a desktop: it compiles with headers made from what is known of ESP-IDF (boards/check/facts), of each
 * release, and the parts without hardware access run.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import {
  BUILDS,
  type Build,
  boardFiles,
  definesHeader,
  root,
  titleOf,
} from "../../../boards/board-manifest.js";
import { BOARDS, ETHERNET } from "../../../boards/boards.js";
import { type Chip, type Header, RELEASES, type Release } from "../../../boards/check/facts/fact.js";
import { HEADERS, HEADERS_BESIDE_POSIX } from "../../../boards/check/facts/facts.js";
import { writeStubHeaders } from "../../../boards/check/stub-headers.js";
import { COMPILER, COMPILER_FLAGS } from "../../../boards/rv32/builder/toolchain.js";
import { buildSandboxSources } from "../../../tools/sandbox.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { readManifestTree } from "../../unit/manifest/manifest-tree.js";

const run = promisify(execFile);
const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Directory of the headers that the SDK writes for a build. */
function headersOf(build: Build): string {
  const own = path.join(directory.path, titleOf(build).replaceAll(" ", "-"));
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, "mc.defines.h"), definesHeader(build));
  return own;
}

const at = (name: string) => path.join(root, name);
const BOARD = "device/hosts/esp32/native";
const SDK = "device/hosts/moddable/esp32s3/native";
const COMMON = "device/hosts/common/native";
const ENGINE = "device/wasm/native";
const TLS = ["device/tls/common/native", "device/tls/mbedtls/native"];
const XS = at("node_modules/xs/moddable/xs");

const INCLUDES = [
  ...["", "/usb-bridge", "/ethernet"].map((part) => BOARD + part),
  SDK,
  COMMON,
  ENGINE,
  ...TLS,
  ...["boot", "network", "process", "storage", "usb"].map((part) => `device/hosts/posix/native/${part}`),
];

/** What stands in for the Moddable SDK, and its platform of XS. */
const STUBS = ["host-tests/stubs/moddable", "host-tests/native", "engine/machine/native"];

const foldersOf = (names: readonly string[]) => names.map((name) => `-I${at(name)}`);

/** Folder of the headers of ESP-IDF, made from what is known of them (boards/check/facts). */
function factsOf(release: Release, chip: Chip, headers: readonly Header[]): string {
  const folder = path.join(directory.path, [release, chip, headers.length].join("-"));
  if (!existsSync(folder)) writeStubHeaders(folder, headers, { release, chip });
  return folder;
}

const WARNINGS = ["-Wall", "-Wextra", "-Werror"];
const XS_FLAGS = [
  ...["-D_GNU_SOURCE", "-DINCLUDE_XSPLATFORM", '-DXSPLATFORM="platform.h"', "-DmxParse=1", "-DmxRun=1"],
  ...[`-isystem${XS}/includes`, `-isystem${XS}/platforms`, `-isystem${XS}/sources`],
];

/**
 * A compiler with the board's sizes: 32-bit pointers, and `uint32_t` is `long`. Its C library has POSIX's clocks, as that of
 * ESP-IDF has, only when it is told so.
 */
async function compile(flags: readonly string[], files: readonly string[]): Promise<void> {
  const clocks = ["-D_POSIX_TIMERS", "-D_POSIX_MONOTONIC_CLOCK"];
  await run(COMPILER, [
    ...COMPILER_FLAGS,
    ...clocks,
    ...WARNINGS,
    ...flags,
    ...XS_FLAGS,
    "-fsyntax-only",
    ...files,
  ]);
}

/** Kinds of Ethernet that were compiled: another option of a kind differs in its own file alone. */
const compiled = new Set<string>();

function filesToCompile(build: Build, release: Release): readonly string[] {
  const files = boardFiles(build, ".c");
  const kind = build.ethernet && ETHERNET[build.ethernet].kind;
  if (kind === undefined) return files;
  const isNew = !compiled.has(release + kind);
  compiled.add(release + kind);
  return isNew ? files : files.filter((file) => path.basename(file) === `ethernet-${kind}.c`);
}

/** The registry's drivers of Ethernet are for ESP-IDF 6. */
const isFor = ({ ethernet }: Build, release: Release) =>
  !ethernet || release === "6.0" || !("component" in ETHERNET[ethernet]);

describe.skipIf(isMissing("rv32"))(
  "with what is known of ESP-IDF's headers (skipped without the tools for RV32)",
  () => {
    for (const release of RELEASES)
      for (const build of BUILDS.filter((each) => isFor(each, release))) {
        const files = filesToCompile(build, release);
        test(`the C of ${titleOf(build)} compiles for ESP-IDF ${release} without a warning`, async () => {
          expect(files.length).toBeGreaterThan(0);
          const folders = [`${BOARD}/include`, ...INCLUDES, ...STUBS];
          const facts = factsOf(release, BOARDS[build.board].chip, HEADERS);
          const mcu = `-DCFG_TUSB_MCU=OPT_MCU_${BOARDS[build.board].chip.toUpperCase()}`;
          await compile([mcu, `-I${headersOf(build)}`, ...foldersOf(folders), `-I${facts}`], files);
        });
      }

    test("the C of an ESP32-S3 compiles with the headers and flags of the Moddable SDK's makefile", async () => {
      await buildSandboxSources(); // the manifest names the folder
      const build = { board: "esp32s3" } as const;
      const { headerFolders, sources, variables } = readManifestTree(
        at("device/manifest.json"),
        "esp32/esp32s3",
      );
      const facts = factsOf("6.0", "esp32s3", HEADERS);
      const folders = [headersOf(build), ...headerFolders, ...STUBS.map(at), facts].map(
        (folder) => `-I${folder}`,
      );
      const flags = [variables.get("C_FLAGS_SUBPLATFORM") ?? "", "-std=gnu17"];
      const files = [...sources].filter((file) => /\/device\/(hosts|tls)\//.test(file));
      expect(files).toContain(at(`${SDK}/board-loop.c`));
      await compile([...folders, ...flags], files);
    });

    const project = at("boards/esp-idf/native");
    for (const release of RELEASES)
      for (const [build, folders] of [
        [{ board: "esp32s3" }, [project]],
        [{ board: "esp32", ethernet: "openeth" }, [project, path.join(project, "emulator")]],
      ] as const)
        test(`the C of the project of ESP-IDF ${release} compiles for ${titleOf(build)} without a warning`, async () => {
          const own = headersOf(build);
          writeFileSync(path.join(own, "board-config.h"), "#define BOARD_CONFIRM_TIMEOUT_S 300\n");
          const files = folders.flatMap((folder) =>
            readdirSync(folder)
              .filter((name) => name.endsWith(".c"))
              .map((name) => path.join(folder, name)),
          );
          expect(files.length).toBeGreaterThan(5);
          await compile(
            [
              ...[project, own, at("engine/root/native")].map((name) => `-I${name}`),
              ...foldersOf([`${BOARD}/include`, ...INCLUDES, ...STUBS]),
              `-I${factsOf(release, BOARDS[build.board].chip, HEADERS)}`,
            ],
            files,
          );
        });
  },
);

async function runProgram({ name, files, others = [], flags = [], build }: Program): Promise<string> {
  const program = path.join(directory.path, name);
  const sources = [
    `host-tests/device/esp32/${name}.c`,
    ...files.map((file) => `${BOARD}/${file}.c`),
    ...others.map((file) => `${file}.c`),
  ].map(at);
  const board = build ?? ({ board: "esp32s3" } as const);
  const facts = factsOf("6.0", BOARDS[board.board].chip, HEADERS_BESIDE_POSIX);
  const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
  await run("gcc", [
    "-std=gnu11",
    ...WARNINGS,
    `-I${headersOf(board)}`,
    ...foldersOf([...INCLUDES, ...STUBS]),
    `-I${facts}`,
    ...XS_FLAGS,
    ...flags,
    "-O1",
    "-g",
    "-pthread",
    ...sanitizers,
    ...sources,
    "-o",
    program,
  ]);
  const { stdout, stderr, signal } = await run(program).catch((error) => error);
  return stdout + stderr + (signal ? `ended by ${signal}` : "");
}

/** Test programs of this folder, each linked with some of the board's C; they print failed checks. */
interface Program {
  readonly holds: string;
  readonly name: string;
  readonly files: readonly string[];
  /** Not the board's alone, from the root. */
  readonly others?: readonly string[];
  readonly flags?: readonly string[];
  readonly build?: Build;
}

/** The event loop, polled by a thread. */
const LOOP = {
  files: ["crash-notes"],
  others: [
    `${SDK}/board-loop`,
    "host-tests/device/esp32/machine-task",
    "device/hosts/posix/native/process/event-loop",
  ],
  flags: ["-Wl,--wrap=poll,--wrap=close"],
};
const PROGRAMS: readonly Program[] = [
  {
    holds: "the slot record is the old or the new one after a power cut at any operation",
    name: "ota-sweep",
    files: ["ota-entry", "ota-record"],
  },
  {
    holds: "a board counts crashes in a row, and starts in safe mode after three",
    name: "last-run",
    files: ["last-run"],
    others: [`${COMMON}/crash-row`],
  },
  {
    holds: "load, display and pins behave as their headers document",
    name: "logic",
    files: ["ili9341", "wifi-failure", "pin-map"],
    others: [`${SDK}/load-window`],
  },
  {
    holds: "the display lights up with the boot picture within 200 ms, as brightly as it was set",
    name: "panel",
    files: ["backlight", "ili9341", "panel"],
    others: [
      ...["boot-picture", "display", "display-drawing", "drawing", "utf8"].map((name) => `${COMMON}/${name}`),
      ...["font", "font-latin"].map((name) => `${ENGINE}/${name}`),
    ],
  },
  {
    holds: "a display whose light is always on has no backlight to set",
    name: "lit-panel",
    files: ["backlight"],
    build: { board: "esp32", ethernet: "lan8720" },
  },
  {
    holds: "voltages, pulses and the I2C bus reach the chip's drivers, within what apps may use",
    name: "buses",
    files: ["board-adc", "board-i2c", "board-pins", "board-pulses", "pin-map"],
    others: [`${COMMON}/pins`],
  },
  {
    holds: "what apps play reaches the amplifier, whose pins are taken from the first sound on",
    name: "sound",
    files: ["board-sound", "pin-map"],
    others: [`${COMMON}/sound-mixer`],
  },
  {
    holds: "posting to the machine does not block, and a full queue loses nothing",
    name: "posts",
    ...LOOP,
  },
  {
    holds:
      "a peer that has closed its side gets its answer, by sockets that a task polls and loses nothing of",
    name: "sockets",
    ...LOOP,
    others: [
      ...LOOP.others,
      `${COMMON}/byte-queue`,
      ...["linger", "tcp-connection"].map((name) => `device/hosts/posix/native/network/${name}`),
    ],
  },
  {
    holds: "the radio reports every disconnection that it did not cause",
    name: "radio",
    files: ["wifi-driver"],
  },
  {
    holds: "the access point is switched on whole or not at all, and reports clients until it is off",
    name: "access-point",
    files: ["wifi-access-point"],
  },
  {
    holds:
      "a port without DTR is opened by a byte, closed by a break or half a line, and shares lines with the log",
    name: "bridge",
    files: ["usb-bridge/board-uart", "usb-bridge/uart-opener", "usb-bridge/log-lines"],
    build: { board: "esp32" },
  },
  {
    holds:
      "half a line and an unread answer end with DTR, even if the next program has written before the console looks",
    name: "cable",
    files: ["usb-device/board-usb"],
    flags: ["-DCFG_TUSB_MCU=OPT_MCU_ESP32S3"],
  },
  {
    holds: "an ESP32-S3 restarts into its loader with its USB pins given back, unless its eFuses forbid it",
    name: "loader",
    files: ["usb-device/chip-loader"],
    flags: ["-DCFG_TUSB_MCU=OPT_MCU_ESP32S3"],
  },
  {
    holds: "there is a wired network while its link is up and it has an address",
    name: "wired",
    files: ["ethernet/board-ethernet", "ethernet/ethernet-link"],
    build: { board: "esp32", ethernet: "lan8720" },
  },
  {
    holds: "only an unformatted partition is formatted",
    name: "file-system",
    files: ["storage-mount"],
  },
];
for (const program of PROGRAMS)
  test(program.holds, async () => expect(await runProgram(program)).toBe(""), 300_000);
