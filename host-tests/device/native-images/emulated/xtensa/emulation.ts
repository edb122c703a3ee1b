/**
 * Compiles native images for Xtensa, and runs them there, where Debian's compiler of another Xtensa, the sources of its
 * assembler and QEMU are: without numbers of floating point, for which the library of that compiler has functions of other
 * calls only.
 */
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { NATIVE_TARGETS } from "../../../../../sdk/builder/native/architectures.js";
import { compile, type Emulation } from "../emulation.js";

const run = promisify(execFile);
const COMPILER = "xtensa-lx106-elf-gcc";
/** The folder of Debian's package. */
const BINUTILS = "/usr/src/binutils";
const CPU = "dc232b";

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
  const arithmetic = await compile(
    xtensaIn(directory),
    path.join(import.meta.dirname, "arithmetic.c"),
    directory,
  );
  await run("xtensa-lx106-elf-ar", ["rcs", path.join(directory, "libgcc.a"), arithmetic]);
  return programs;
}

const compilerIn = (directory: string) => path.join(directory, "bin", NATIVE_TARGETS.xtensa.compiler);

/** @param directory of {@link standInCompiler} */
export function xtensaIn(directory: string): Emulation {
  return {
    directory: import.meta.dirname,
    compiler: compilerIn(directory),
    flags: [`-I${path.join(import.meta.dirname, "../../../../../sdk/native/include")}`], // it has no C library
    libraries: [`-L${directory}`, "-lgcc"],
    emulator: ["qemu-xtensa", "-cpu", CPU],
  };
}

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
