/**
 * Compiles native images for Xtensa, and runs them there, where Debian's compiler of another Xtensa, the sources of its
 * assembler and QEMU are: in a program around them instead of a console (`program.c`), and without numbers of floating
 * point, for which the library of that compiler has functions of other calls only.
 */
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { NATIVE_HEAD_BYTES, readNativeHead } from "../../../../protocol/native-image.js";
import { NATIVE_TARGETS } from "../../../../sdk/builder/native/architectures.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../../..");
const COMPILER = "xtensa-lx106-elf-gcc";
/** The folder of Debian's package. */
const BINUTILS = "/usr/src/binutils";
const FLAGS = ["-O2", "-ffreestanding", "-fno-builtin", "-Wall", "-Werror"];
const CPU = "dc232b";

/** Most that a program may take; it ends by itself. */
const LIMIT_MS = 60_000;

/**
 * Makes a compiler of the name that images for Xtensa are compiled by.
 * @param directory for it
 * @returns what to put in front of the `PATH`
 */
export async function standInCompiler(directory: string): Promise<string> {
  const programs = path.join(directory, "bin");
  await mkdir(programs, { recursive: true });
  const core = await describeCore(directory);
  const compiler = compilerIn(directory);
  await writeFile(
    compiler,
    `#!/bin/sh
for word do
  shift
  [ "$word" = -mfix-esp32-psram-cache-issue ] || set -- "$@" "$word" # it has no PSRAM
done
XTENSA_GNU_CONFIG='${core}' exec ${COMPILER} -mabi=windowed -L'${directory}' "$@"
`,
  );
  await chmod(compiler, 0o755);
  const arithmetic = await compile(directory, "arithmetic.c");
  await run("xtensa-lx106-elf-ar", ["rcs", path.join(directory, "libgcc.a"), arithmetic]);
  return programs;
}

const compilerIn = (directory: string) => path.join(directory, "bin", NATIVE_TARGETS.xtensa?.compiler ?? "");

const call = (directory: string, args: readonly string[]) => run(compilerIn(directory), args);

/** @returns the library that tells the assembler and the linker of a core with windows of registers */
async function describeCore(directory: string): Promise<string> {
  const archive = (await readdir(BINUTILS)).find((name) => /^binutils-.+\.tar\.xz$/.test(name));
  const sources = ["bfd/xtensa-modules.c", "include/xtensa-*.h", "include/ansidecl.h"];
  await run("tar", [
    ...["-C", directory, "--strip-components=1", "-xf", path.join(BINUTILS, archive ?? "")],
    ...["--wildcards", ...sources.map((name) => `*/${name}`)],
  ]);
  const core = path.join(directory, "core.so");
  await run("gcc", [
    ...["-O1", "-shared", "-fPIC", `-I${path.join(directory, "include")}`, "-o", core],
    ...[path.join(import.meta.dirname, "core.c"), path.join(directory, "bfd/xtensa-modules.c")],
  ]);
  return core;
}

async function compile(directory: string, source: string): Promise<string> {
  const object = path.join(directory, `${path.parse(source).name}.o`);
  const includes = ["sdk/native/include", "device/wasm/native"].map((name) => `-I${path.join(root, name)}`);
  const file = path.resolve(import.meta.dirname, source);
  await call(directory, [...FLAGS, ...includes, "-c", file, "-o", object]);
  return object;
}

/**
 * Runs the app of a container to its end.
 * @param directory of {@link standInCompiler}
 * @param options whether what it logs interrupts it
 * @returns what it logged, and how it ended: lines of `program.c`
 */
export async function runOnXtensa(
  container: Uint8Array,
  directory: string,
  { isInterrupted = false } = {},
): Promise<string[]> {
  const { layout } = readNativeHead(container, container.length);
  const file = path.join(directory, "image.bin");
  const source = path.join(directory, "image.S");
  await writeFile(file, container.subarray(NATIVE_HEAD_BYTES));
  await writeFile(
    source,
    `.data
.global imageFile, imageLayout, isInterrupted
.align 4
isInterrupted: .word ${isInterrupted ? 1 : 0}
imageLayout: .word ${Object.values(layout).join(", ")}
imageFile: .incbin "${file}"
`,
  );
  const sources = ["start.S", "program.c", path.join(root, "device/wasm/native/image-memory.c"), source];
  const objects = await Promise.all(sources.map((one) => compile(directory, one)));
  const program = path.join(directory, "program");
  const flags = ["-nostdlib", "-static", `-L${directory}`];
  await call(directory, [...FLAGS, ...flags, "-o", program, ...objects, "-lgcc"]);
  const { stdout } = await run("qemu-xtensa", ["-cpu", CPU, program], { timeout: LIMIT_MS });
  return stdout.split("\n").filter((line) => line !== "");
}
