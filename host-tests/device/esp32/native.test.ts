/**
 * The board's C, as far as a desktop tells: it compiles against stubs of what it calls, and what of it knows no
 * hardware runs.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
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
const XS = at("node_modules/xs/moddable/xs");

const INCLUDES = [
  ...[
    BOARD,
    COMMON,
    ENGINE,
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

/** As on the board, where pointers have 32 bits, if there is what that needs (gcc-multilib). */
const bits = await run("gcc", ["-m32", "-fsyntax-only", "-x", "c", "-include", "stdio.h", "/dev/null"]).then(
  () => ["-m32"],
  () => [],
);

test("the board's C compiles without a warning", async () => {
  await run("gcc", [...bits, ...FLAGS, ...XS_FLAGS, "-fsyntax-only", ...boardFiles(".c")]);
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

/** Each is a program of this folder, over some of the board's C; it prints what does not hold. */
const PROGRAMS = [
  {
    holds: "the record of slots is what it was or what it was to be, wherever power is cut",
    name: "ota-sweep",
    files: ["ota-entry", "ota-record"],
  },
  {
    holds: "load, display and pins keep to their headers",
    name: "logic",
    files: ["load-window", "ili9341", "wifi-failure", "pin-map"],
  },
  {
    holds: "posting to the machine does not block, and nothing is lost when the queue is full",
    name: "posts",
    files: ["board-posts"],
  },
  { holds: "the radio tells of every disconnection but ours", name: "radio", files: ["wifi-driver"] },
  {
    holds: "a file system is made where there was none, and nowhere else",
    name: "file-system",
    files: ["storage-mount"],
  },
];
for (const { holds, name, files } of PROGRAMS)
  test(holds, async () => expect(await runProgram(name, files)).toBe(""), 60_000);
