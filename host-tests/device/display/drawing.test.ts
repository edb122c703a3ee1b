/** The drawing functions for apps (docs/spec/display-and-input.md#drawing). */
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
const SOURCES = [
  ...["boot-picture", "display", "pins", "utf8"].map((name) => `${COMMON}/${name}.c`),
  `${POSIX}/unwired-pins.c`,
];
const FOLDERS = [COMMON, POSIX, "device/wasm/native"];

test("drawing, the font, pins and buttons behave as their headers document, also on threads", async () => {
  const program = path.join(directory.path, "drawing");
  const sources = [...SOURCES, "device/wasm/native/font.c"].map((source) => path.join(root, source));
  await run("gcc", [
    ...["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    ...FOLDERS.map((folder) => `-I${path.join(root, folder)}`),
    ...[path.join(import.meta.dirname, "drawing.c"), ...sources, "-o", program],
  ]);
  const { stdout, stderr } = await run(program);
  expect(stdout + stderr).toBe("");
}, 60_000);
