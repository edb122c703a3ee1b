/** The display and the pins, in C (docs/spec/display-and-input.md#drawing). */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const directory = temporaryDirectory();
afterAll(() => directory.remove());

const COMMON = "device/hosts/common/native";
const POSIX = "device/hosts/posix/native/process";
const ENGINE = "device/wasm/native";
const SOURCES = [
  ...["boot-picture", "display", "display-drawing", "drawing", "pins", "utf8"].map(
    (name) => `${COMMON}/${name}.c`,
  ),
  `${POSIX}/unwired-pins.c`,
  ...["font", "font-latin"].map((name) => `${ENGINE}/${name}.c`),
];
const FOLDERS = [COMMON, POSIX, ENGINE, "host-tests/native"];

async function runProgram(name: string): Promise<string> {
  const program = path.join(directory.path, name);
  await run("gcc", [
    ...["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    ...FOLDERS.map((folder) => `-I${path.join(root, folder)}`),
    ...[path.join(import.meta.dirname, `${name}.c`), ...SOURCES.map((source) => path.join(root, source))],
    ...["-o", program],
  ]);
  const { stdout, stderr } = await run(program).catch(
    (failure: { stdout: string; stderr: string }) => failure,
  );
  return stdout + stderr;
}

test.each([
  ["drawing", "rectangles, pixels and text have the pixels that they should, and the font its letters"],
  ["shapes", "lines, circles, triangles, sprites, glyphs and moved pictures do, within any clip"],
  ["pictures", "a picture is shown whole, of the app in front, and kept, concealed or cleared behind it"],
  ["pins", "pins and buttons behave as their headers document, beside a stranger's, too"],
])(
  "%s: %s",
  async (name) => {
    expect(await runProgram(name)).toBe("");
  },
  60_000,
);
