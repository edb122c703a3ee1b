/**
 * Links twice: the maker, which makes the root (engine/root/native/root.h), then the board with the root. The root has its own part
 * of the flash, at the same address both times.
 */
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Root, readRoot } from "../../../engine/root/root-files.js";
import { linkStale } from "../../../tools/objects.js";
import { rootObject } from "./root-object.js";
import { compile, LINKER_FLAGS, MEMORY, runInQemu } from "./toolchain.js";

const run = promisify(execFile);

const OBJCOPY = "riscv64-unknown-elf-objcopy";

/** Functions of the C library that the board counts (../native/heap.h). */
const COUNTED = Object.freeze(["malloc", "calloc", "realloc", "aligned_alloc", "free"]);

const LAYOUT = path.join(import.meta.dirname, "../native/board.ld");

/** XS's built-ins that the program does not use (engine/root/native/engine-defaults.c). */
const STRIPPED = Object.freeze(["fxBuildAtomics", "fxBuildBigInt"]);

const FLAGS = Object.freeze([
  ...LINKER_FLAGS,
  ...[...COUNTED, ...STRIPPED].map((name) => `-Wl,--wrap=${name}`),
  `-T${LAYOUT}`,
]);

export interface BoardObjects {
  /** Of both executables. */
  readonly shared: string[];
  readonly maker: string[];
  /** The object with the table of modules, which the maker evaluates. */
  readonly modules: string;
}

/**
 * @param directory of the variant, for all output
 * @returns the executable and the linker's map
 */
export async function linkWithRoot(
  directory: string,
  { shared, maker, modules }: BoardObjects,
): Promise<{ elf: string; map: string }> {
  const elf = path.join(directory, "console.elf");
  const map = path.join(directory, "console.map");
  await linkStale(elf, { files: [LAYOUT, ...shared, ...maker, modules], flags: FLAGS }, async (output) => {
    const root = await rootObject(directory, await makeRoot(directory, [...shared, ...maker], modules));
    await compile([...FLAGS, `-Wl,-Map=${map}`, ...shared, root, "-o", output]);
  });
  return { elf, map };
}

/**
 * Links the maker and runs it.
 * @param directory for all output
 */
async function makeRoot(directory: string, objects: string[], modules: string): Promise<Root> {
  const maker = path.join(directory, "root-maker.elf");
  const away = path.join(directory, "modules.o");
  await copyFile(modules, away);
  await run(OBJCOPY, ["--rename-section", ".rodata=.modules", away]);
  await compile([...FLAGS, ...objects, away, "-o", maker]);
  const { status, said } = await runInQemu(maker, directory);
  if (status !== 0) throw new Error(`The root cannot be made: ${said}`);
  return readRoot(directory, maker, MEMORY.flash + MEMORY.flashBytes / 2);
}
