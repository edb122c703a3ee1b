/**
 * Builds the console for RV32IMAC: one executable for each variant, which contains the root that its maker made
 * (engine/root/native/root.h). Reports compiling on standard error; silent if everything is up to date.
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { compileModules } from "../../engine/bytecode/bytecode.js";
import { engineFlags, prepareEngine, xs } from "../../engine/engine.js";
import { modulesOf, moduleTable, nativeTable, optionTable } from "../../engine/machine/generate-tables.js";
import { bundleProgram } from "../../engine/program/firmware.js";
import type { FirmwareOptions } from "../../engine/program/firmware-modules.js";
import { mentionedNames } from "../../engine/root/mentioned-names.js";
import { ENGINE_DEFAULTS } from "../../engine/root/sources.js";
import { writeIfChanged } from "../../tools/files.js";
import { withLock } from "../../tools/lock.js";
import { compileStale } from "../../tools/objects.js";
import { wasm3Flags } from "../../tools/wasm3.js";
import { type Flash, flashOf } from "./builder/flash.js";
import { type BoardObjects, linkWithRoot } from "./builder/link.js";
import { boardSources, includes, moduleFolders } from "./builder/sources.js";
import { COMPILER, COMPILER_FLAGS } from "./builder/toolchain.js";

const root = path.join(import.meta.dirname, "../..");
const output = path.join(root, "build/rv32");
const generated = path.join(output, "generated");

const XS_FLAGS = engineFlags("board-platform.h");
const OUR_FLAGS = ["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-DSVC_WITHOUT_LIBCRYPTO"];

/**
 * The files of the engine that run most, compiled for speed. The bytecode loop takes an eighth fewer instructions, for
 * 2 KiB of flash; the others take 4 % off a request together, for 6 KiB. Arrays, strings and views take none off, and
 * SHA-512 takes more instructions at -O2 [measured].
 */
const HOT_FILES: ReadonlySet<string> = new Set([
  "xsAPI.c",
  "xsFunction.c",
  "xsGlobal.c",
  "xsMemory.c",
  "xsProperty.c",
  "xsRun.c",
  "xsSymbol.c",
  "xsType.c",
]);
const SPEED_FLAGS = Object.freeze(["-O2"]);

/**
 * `counted` is the board. `watched` is the same board, but it collects all the time, so that the memory that it needs
 * is known to about 2 %; its instruction counts mean nothing.
 */
type Variant = "counted" | "watched";

/** Files that differ between the variants, and their flags. */
const VARIANTS: Record<Variant, Record<string, string[]>> = Object.freeze({
  counted: {},
  watched: {
    "xsMemory.c": ["-DmxStress=1", "-DmxReport=1", "-DfxReport=heap_figures_report"],
    "heap-figures.c": ["-DSVC_HEAP_IS_WATCHED"],
    "main.c": ["-DSVC_HEAP_IS_WATCHED"],
  },
});

/** @returns flash in bytes */
export function buildBoard(
  options: FirmwareOptions,
): Promise<{ elf: string; watchedElf: string; flash: Flash }> {
  return withLock(output, async () => {
    await prepareEngine();
    const tables = await writeTables(options);
    const counted = await linkVariant("counted", tables);
    const watched = await linkVariant("watched", tables);
    return { elf: counted.elf, watchedElf: watched.elf, flash: await flashOf(counted.map) };
  });
}

/** Generated C files. */
interface Tables {
  readonly small: string[];
  readonly modules: string;
  readonly compiled: readonly Uint8Array[];
}

async function writeTables(options: FirmwareOptions): Promise<Tables> {
  await mkdir(generated, { recursive: true });
  const { host } = await boardSources();
  const { program } = await bundleProgram(options);
  const hostModules = await modulesOf(moduleFolders);
  const compiled = await compileModules(program, hostModules, output, path.join(output, "modules"));
  const write = (name: string, text: string) => writeIfChanged(path.join(generated, name), text);
  return {
    small: await Promise.all([
      write("native-table.c", await nativeTable(host)),
      write("option-table.c", await optionTable()),
    ]),
    modules: await write("module-table.c", moduleTable(compiled)),
    compiled: compiled.map(({ bytes }) => bytes),
  };
}

async function linkVariant(variant: Variant, tables: Tables) {
  const directory = path.join(output, variant);
  await mkdir(directory, { recursive: true });
  return linkWithRoot(directory, await compileVariant(variant, tables));
}

async function compileVariant(variant: Variant, tables: Tables): Promise<BoardObjects> {
  const { engine, interpreter, host, maker } = await boardSources();
  const shared = [...COMPILER_FLAGS, ...includes.map((include) => `-I${include}`)];
  const ourFlags = [...shared, ...XS_FLAGS, ...wasm3Flags, ...OUR_FLAGS];
  const job = (part: string, source: string, flags: string[]) => {
    const name = path.basename(source);
    const own = VARIANTS[variant][name];
    const object = path.join(output, own ? variant : "objects", part, `${name.replace(/\.\w$/, "")}.o`);
    const speed = HOT_FILES.has(name) ? SPEED_FLAGS : [];
    return { source, object, flags: [...flags, ...speed, ...(own ?? [])] };
  };
  const modules = job("modules", tables.modules, [...ourFlags, "-fno-data-sections"]);
  const jobs = [
    ...engine.map((source) => job("engine", source, [...shared, ...XS_FLAGS, "-w"])),
    ...interpreter.map((source) => job("interpreter", source, [...shared, ...wasm3Flags, "-w"])),
    ...[...host, ...tables.small].map((source) => job("host", source, ourFlags)),
  ];
  const makerJobs = maker.map((source) => job("maker", source, ourFlags));
  const compileJobs = (stale: typeof jobs) =>
    compileStale(COMPILER, stale, (count) =>
      process.stderr.write(`rv32: compiling ${count} files (${variant})\n`),
    );
  await compileJobs([...jobs, ...makerJobs, modules]);
  const objectsOf = (group: typeof jobs) => group.map(({ object }) => object);
  const objects = objectsOf(jobs);
  const isOfEngine = (object: string) => path.basename(path.dirname(object)) === "engine";
  const names = await writeIfChanged(
    path.join(generated, `mentioned-names-${variant}.c`),
    await mentionedNames({
      folder: path.join(xs, "sources"),
      engine: [...engine, ENGINE_DEFAULTS],
      hosts: host,
      engineObjects: objects.filter(isOfEngine),
      hostObjects: objects.filter((object) => !isOfEngine(object)),
      modules: tables.compiled,
    }),
  );
  const namesJob = job("maker", names, ourFlags);
  await compileJobs([namesJob]);
  return { shared: objects, maker: objectsOf([...makerJobs, namesJob]), modules: modules.object };
}
