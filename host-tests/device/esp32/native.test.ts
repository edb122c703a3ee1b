/**
 * The board's C on a desktop: it compiles against stubs of its libraries, and the parts without hardware access run.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { boardFiles, definesHeader, root } from "../../unit/esp32/board-manifest.js";

const run = promisify(execFile);
const directory = temporaryDirectory();
afterAll(() => directory.remove());
writeFileSync(path.join(directory.path, "mc.defines.h"), definesHeader());

const at = (name: string) => path.join(root, name);
const BOARD = "device/hosts/esp32/native";
const COMMON = "device/hosts/common/native";
const ENGINE = "device/wasm/native";
const TLS = ["device/tls/common/native", "device/tls/mbedtls/native"];
const XS = at("node_modules/xs/moddable/xs");

const INCLUDES = [
  ...[
    BOARD,
    COMMON,
    ENGINE,
    ...TLS,
    ...["boot", "network", "process", "storage", "usb"].map((part) => `device/hosts/posix/native/${part}`),
  ],
  ...["host-tests/stubs/esp-idf", "host-tests/stubs/moddable", "simulator/native"],
];
const FLAGS = [
  ...["-std=gnu11", "-Wall", "-Wextra", "-Werror", `-I${directory.path}`],
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

test("the board's C compiles without a warning", async () => {
  const files = boardFiles(".c").filter((file) => !isOfTls(file));
  await run("gcc", [...bits, ...FLAGS, ...XS_FLAGS, "-fsyntax-only", ...files]);
});

test.skipIf(isMissing("mbedtls"))("so does its TLS (skipped without mbedtls)", async () => {
  const files = boardFiles(".c").filter(isOfTls);
  expect(files.length).toBeGreaterThan(3);
  await run("gcc", [...bits, ...FLAGS, ...XS_FLAGS, "-fsyntax-only", ...files]);
});

async function runProgram(name: string, files: readonly string[]): Promise<string> {
  const program = path.join(directory.path, name);
  const sources = [`host-tests/device/esp32/${name}.c`, ...files.map((file) => `${BOARD}/${file}.c`)].map(at);
  const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
  await run("gcc", [
    ...FLAGS,
    ...XS_FLAGS,
    "-O1",
    "-g",
    "-pthread",
    ...sanitizers,
    ...sources,
    "-o",
    program,
  ]);
  const { stdout, stderr } = await run(program).catch((error) => error);
  return stdout + stderr;
}

/** Test programs of this folder, each linked with some of the board's C; they print failed checks. */
const PROGRAMS = [
  {
    holds: "the slot record is the old or the new one after a power cut at any operation",
    name: "ota-sweep",
    files: ["ota-entry", "ota-record"],
  },
  {
    holds: "load, display and pins behave as their headers document",
    name: "logic",
    files: ["load-window", "ili9341", "wifi-failure", "pin-map"],
  },
  {
    holds: "posting to the machine does not block, and a full queue loses nothing",
    name: "posts",
    files: ["board-posts"],
  },
  {
    holds: "the radio reports every disconnection that it did not cause",
    name: "radio",
    files: ["wifi-driver"],
  },
  {
    holds: "only an unformatted partition is formatted",
    name: "file-system",
    files: ["storage-mount"],
  },
];
for (const { holds, name, files } of PROGRAMS)
  test(holds, async () => expect(await runProgram(name, files)).toBe(""), 60_000);
