/**
 * Links the executable twice: first without a root, to make it (native/root.h), then with it. Code and constants have
 * the same addresses both times, since the root has its own part of the flash.
 */
import { execFile } from "node:child_process";
import { copyFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { textOf, timeOf } from "../../../tools/objects.js";
import { COMPILER_FLAGS, compile, LINKER_FLAGS, runInQemu } from "./toolchain.js";

const run = promisify(execFile);

const OBJCOPY = "riscv64-unknown-elf-objcopy";

/** Functions of the C library that the board counts (../native/heap.h). */
const COUNTED = Object.freeze(["malloc", "calloc", "realloc", "aligned_alloc", "free"]);

const LAYOUT = path.join(import.meta.dirname, "../native/board.ld");

/** XS's built-ins that the program does not use (../native/engine-defaults.c). */
const STRIPPED = Object.freeze(["fxBuildAtomics", "fxBuildBigInt"]);

const FLAGS = Object.freeze([
  ...LINKER_FLAGS,
  ...[...COUNTED, ...STRIPPED].map((name) => `-Wl,--wrap=${name}`),
  `-T${LAYOUT}`,
]);

/**
 * @param directory of the variant, for all output
 * @param modules the object with the table of modules
 * @returns the executable and the linker's map
 */
export async function linkWithRoot(
  directory: string,
  objects: string[],
  modules: string,
): Promise<{ elf: string; map: string }> {
  const elf = path.join(directory, "console.elf");
  const map = path.join(directory, "console.map");
  const inputs = [...FLAGS, ...objects, modules].join(" ");
  const built = await timeOf(elf);
  const changes = await Promise.all([LAYOUT, ...objects, modules].map(timeOf));
  if (built >= Math.max(...changes) && (await textOf(`${elf}.inputs`)) === inputs) return { elf, map };
  await rm(`${elf}.inputs`, { force: true });
  const away = path.join(directory, "modules.o");
  await copyFile(modules, away);
  await run(OBJCOPY, ["--rename-section", ".rodata=.modules", away]);
  await makeRoot(directory, [...objects, away]);
  const root = await rootObject(directory, "root", '.section .root, "a"\nrootImage:\n.incbin "root"\n');
  const linked = `${elf}.new`;
  await compile([...FLAGS, `-Wl,-Map=${map}`, ...objects, away, root, "-o", linked]);
  await run(OBJCOPY, ["--remove-section", ".modules", linked]);
  await rename(linked, elf);
  await writeFile(`${elf}.inputs`, inputs);
  return { elf, map };
}

/** Writes the file `root`. */
async function makeRoot(directory: string, objects: string[]): Promise<void> {
  const maker = path.join(directory, "root-maker.elf");
  const empty = await rootObject(
    directory,
    "no-root",
    '.section .root, "aw", @nobits\nrootImage:\n.space 16\n',
  );
  await rm(path.join(directory, "root"), { force: true });
  await compile([...FLAGS, ...objects, empty, "-o", maker]);
  const { status, said } = await runInQemu(maker, directory);
  if (status !== 0) throw new Error(`The root cannot be made: ${said}`);
}

/**
 * @param text assembly
 * @returns the object
 */
async function rootObject(directory: string, name: string, text: string): Promise<string> {
  const source = path.join(directory, `${name}.s`);
  const object = path.join(directory, `${name}.o`);
  await writeFile(source, `.globl rootImage\n${text}`);
  await compile([...COMPILER_FLAGS, `-Wa,-I${directory}`, "-c", source, "-o", object]);
  return object;
}
