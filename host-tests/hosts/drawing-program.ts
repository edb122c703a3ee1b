/** Programs in C over the console's display (host-tests/device/display), with sanitizers. */
import { execFileSync } from "node:child_process";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");
const COMMON = "device/hosts/common/native";
const POSIX = "device/hosts/posix/native/process";
const ENGINE = "device/wasm/native";
const SOURCES = [
  ...["boot-picture", "display", "display-drawing", "drawing", "pins", "utf8"].map(
    (name) => `${COMMON}/${name}.c`,
  ),
  `${POSIX}/unwired-pins.c`,
  "boards/rv32/native/bare-pins.c",
  ...["font", "font-latin"].map((name) => `${ENGINE}/${name}.c`),
];
const FOLDERS = [COMMON, POSIX, ENGINE, "host-tests/native"];

/** @param name of the C file; @param output the program */
export function compileDrawingProgram(name: string, output: string): void {
  execFileSync("gcc", [
    ...["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    ...FOLDERS.map((folder) => `-I${path.join(root, folder)}`),
    ...[
      path.join(root, `host-tests/device/display/${name}.c`),
      ...SOURCES.map((file) => path.join(root, file)),
    ],
    ...["-o", output],
  ]);
}
