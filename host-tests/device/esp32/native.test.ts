/**
 * The boards' C on a desktop: it compiles against stubs of its libraries, and the parts without hardware access run.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { ETHERNET } from "../../../boards/boards.js";
import { buildSandboxSources } from "../../../tools/sandbox.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import {
  BUILDS,
  type Build,
  boardFiles,
  definesHeader,
  root,
  titleOf,
} from "../../unit/esp32/board-manifest.js";
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

/** What stands in for ESP-IDF, the Moddable SDK and its platform of XS. */
const STUBS = [
  "host-tests/stubs/esp-idf",
  "host-tests/stubs/moddable",
  "host-tests/native",
  "engine/machine/native",
];
const INCLUDES = [
  ...[
    ...["", "/usb-bridge", "/ethernet"].map((part) => BOARD + part),
    SDK,
    COMMON,
    ENGINE,
    ...TLS,
    ...["boot", "network", "process", "storage", "usb"].map((part) => `device/hosts/posix/native/${part}`),
  ],
  ...STUBS,
];
const FLAGS = [
  ...["-std=gnu11", "-Wall", "-Wextra", "-Werror"],
  ...INCLUDES.map((folder) => `-I${at(folder)}`),
];
const XS_FLAGS = [
  ...["-D_GNU_SOURCE", "-DINCLUDE_XSPLATFORM", '-DXSPLATFORM="platform.h"', "-DmxParse=1", "-DmxRun=1"],
  ...[`-isystem${XS}/includes`, `-isystem${XS}/platforms`, `-isystem${XS}/sources`],
];

/** 32-bit pointers as on the board, where gcc-multilib is installed. */
const bits = await run("gcc", ["-m32", "-fsyntax-only", "-x", "c", "-include", "stdio.h", "/dev/null"]).then(
  () => ["-m32"],
  () => [],
);

/** Needs mbedTLS: ESP-IDF's version 4, here Debian's. */
const isOfTls = (file: string) =>
  file.includes("/tls/mbedtls/") || path.basename(file) === "hub-certificates.c";

/** Kinds of Ethernet that were compiled: another option of a kind differs in its own file alone. */
const compiled = new Set<string>();

function filesToCompile(build: Build): readonly string[] {
  const files = boardFiles(build, ".c").filter((file) => !isOfTls(file));
  const kind = build.ethernet && ETHERNET[build.ethernet].kind;
  if (kind === undefined) return files;
  const isNew = !compiled.has(kind);
  compiled.add(kind);
  return isNew ? files : files.filter((file) => path.basename(file) === `ethernet-${kind}.c`);
}

for (const build of BUILDS) {
  const files = filesToCompile(build);
  test(`the C of ${titleOf(build)} compiles without a warning`, async () => {
    expect(files.length).toBeGreaterThan(0);
    const flags = [...FLAGS, "-DCFG_TUSB_MCU=OPT_MCU_ESP32S3"];
    await run("gcc", [...bits, `-I${headersOf(build)}`, ...flags, ...XS_FLAGS, "-fsyntax-only", ...files]);
  });
}

test("the C of an ESP32-S3 compiles with the headers and flags of the Moddable SDK's makefile", async () => {
  await buildSandboxSources(); // the manifest names the folder
  const build = { board: "esp32s3" } as const;
  const { headerFolders, sources, variables } = readManifestTree(at("device/manifest.json"), "esp32/esp32s3");
  const stubs = ["host-tests/stubs/esp-idf-sockets", ...STUBS].map(at);
  const folders = [headersOf(build), ...headerFolders, ...stubs].map((folder) => `-I${folder}`);
  const flags = [variables.get("C_FLAGS_SUBPLATFORM") ?? "", "-std=gnu17", "-Wall", "-Wextra", "-Werror"];
  const files = [...sources].filter((file) => /\/device\/(hosts|tls)\//.test(file) && !isOfTls(file));
  expect(files).toContain(at(`${SDK}/board-loop.c`));
  await run("gcc", [...bits, ...folders, ...flags, ...XS_FLAGS, "-fsyntax-only", ...files]);
});

for (const build of [{ board: "esp32s3" }, { board: "esp32" }] as const)
  test.skipIf(isMissing("mbedtls"))(
    `so does the TLS of ${titleOf(build)} (skipped without mbedtls)`,
    async () => {
      const files = boardFiles(build, ".c").filter(isOfTls);
      expect(files.length).toBeGreaterThan(3);
      await run("gcc", [...bits, `-I${headersOf(build)}`, ...FLAGS, ...XS_FLAGS, "-fsyntax-only", ...files]);
    },
  );

test("sockets and event loop compile with what ESP-IDF lacks of Linux", async () => {
  const build = { board: "esp32s3" } as const;
  const isShared = (file: string) => /posix\/native\/(network|process)\//.test(file);
  const files = boardFiles(build, ".c").filter(isShared);
  expect(files.length).toBeGreaterThan(5);
  const folders = [`${BOARD}/include`, "host-tests/stubs/esp-idf-sockets"].map((name) => `-I${at(name)}`);
  await run("gcc", [
    ...bits,
    `-I${headersOf(build)}`,
    ...folders,
    ...FLAGS,
    ...XS_FLAGS,
    "-fsyntax-only",
    ...files,
  ]);
});

test("the C of the project of ESP-IDF compiles without a warning", async () => {
  const build = { board: "esp32", ethernet: "openeth" } as const;
  const own = headersOf(build);
  writeFileSync(path.join(own, "board-config.h"), "#define BOARD_CONFIRM_TIMEOUT_S 300\n");
  const folder = at("boards/esp-idf/native");
  const files = [folder, path.join(folder, "emulator")].flatMap((where) =>
    readdirSync(where)
      .filter((name) => name.endsWith(".c"))
      .map((name) => path.join(where, name)),
  );
  expect(files.length).toBeGreaterThan(5);
  const folders = [folder, own, at("engine/root/native")].map((name) => `-I${name}`);
  await run("gcc", [...bits, ...folders, ...FLAGS, ...XS_FLAGS, "-fsyntax-only", ...files]);
});

async function runProgram({ name, files, others = [], flags = [], build }: Program): Promise<string> {
  const program = path.join(directory.path, name);
  const sources = [
    `host-tests/device/esp32/${name}.c`,
    ...files.map((file) => `${BOARD}/${file}.c`),
    ...others.map((file) => `${file}.c`),
  ].map(at);
  const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
  await run("gcc", [
    `-I${headersOf(build ?? { board: "esp32s3" })}`,
    ...FLAGS,
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
