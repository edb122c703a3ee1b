/**
 * Builds the console for RV32IMAC: one executable for each variant, which contains the root that its maker made
 * (native/root.h). Reports compiling on standard error; silent if everything is up to date.
 */
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { prepareEngine, xs } from "../../tools/engine/engine.js";
import { bundleProgram } from "../../tools/firmware.js";
import type { FirmwareOptions } from "../../tools/firmware-modules.js";
import {
  type Module,
  modulesOf,
  moduleTable,
  nativeTable,
  optionTable,
  writeIfChanged,
} from "../../tools/generate-tables.js";
import { withLock } from "../../tools/lock.js";
import { compileStale } from "../../tools/objects.js";
import { wasm3Flags } from "../../tools/wasm3.js";
import { compileModules } from "./builder/bytecode.js";
import { type Flash, flashOf } from "./builder/flash.js";
import { type BoardObjects, linkWithRoot, makeRoot } from "./builder/link.js";
import { mentionedNames } from "./builder/mentioned-names.js";
import type { Root } from "./builder/root-object.js";
import { boardSources, includes, moduleFolders } from "./builder/sources.js";
import { standInsFor } from "./builder/stand-ins.js";
import { COMPILER, COMPILER_FLAGS } from "./builder/toolchain.js";

const root = path.join(import.meta.dirname, "../..");
const output = path.join(root, "build/rv32");

/** The board's part of the engine, which mentions built-ins, too. */
const ENGINE_DEFAULTS = path.join(import.meta.dirname, "native/engine-defaults.c");

export const XS_FLAGS = [
  "-DINCLUDE_XSPLATFORM",
  '-DXSPLATFORM="board-platform.h"',
  "-DmxRun=1",
  "-DmxParse=1",
  "-DmxNoConsole=1",
  "-DmxBoundsCheck=1",
  `-isystem${xs}/includes`,
  `-isystem${xs}/platforms`,
  `-isystem${xs}/sources`,
];
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
    const { host } = await boardSources();
    const hostModules = await modulesOf(moduleFolders);
    const tables = await writeTables(options, { folder: output, natives: host, hosts: host, hostModules });
    const counted = await linkVariant("counted", tables);
    const watched = await linkVariant("watched", tables);
    return { elf: counted.elf, watchedElf: watched.elf, flash: await flashOf(counted.map) };
  });
}

/** A board of another architecture, with words of the same size and byte order, whose program is made here. */
export interface OtherBoard {
  /** Modules of its hosts. */
  readonly hostModules: readonly Module[];
  /** Its C files, for the names that they mention. */
  readonly hosts: readonly string[];
}

/**
 * Makes another board's root.
 * @param folder for all output
 */
export function buildRootFor(options: FirmwareOptions, board: OtherBoard, folder: string): Promise<Root> {
  return withLock(output, async () => {
    await prepareEngine();
    await mkdir(folder, { recursive: true });
    const { host } = await boardSources();
    const texts = await Promise.all(host.map((file) => readFile(file, "utf8")));
    const standIns = await writeIfChanged(
      path.join(folder, "stand-ins.c"),
      standInsFor(board.hostModules, texts),
    );
    const tables = await writeTables(options, {
      folder,
      natives: [...host, standIns],
      hosts: [...host, ...board.hosts],
      hostModules: board.hostModules,
    });
    const { shared, maker, modules } = await compileVariant("counted", {
      ...tables,
      small: [...tables.small, standIns],
    });
    return makeRoot(folder, [...shared, ...maker], modules);
  });
}

/** Generated C files. */
interface Tables {
  /** Of everything that is generated. */
  readonly folder: string;
  readonly small: string[];
  readonly modules: string;
  readonly compiled: readonly Uint8Array[];
  /** C files that mention names. */
  readonly hosts: readonly string[];
}

interface TableSources {
  readonly folder: string;
  /** C files with host functions. */
  readonly natives: readonly string[];
  readonly hosts: readonly string[];
  readonly hostModules: readonly Module[];
}

async function writeTables(
  options: FirmwareOptions,
  { folder, natives, hosts, hostModules }: TableSources,
): Promise<Tables> {
  const generated = path.join(folder, "generated");
  await mkdir(generated, { recursive: true });
  const { program } = await bundleProgram(options);
  const compiled = await compileModules(program, hostModules, output, path.join(folder, "modules"));
  const write = (name: string, text: string) => writeIfChanged(path.join(generated, name), text);
  return {
    folder,
    small: await Promise.all([
      write("native-table.c", await nativeTable(natives)),
      write("option-table.c", await optionTable()),
    ]),
    modules: await write("module-table.c", moduleTable(compiled)),
    compiled: compiled.map(({ bytes }) => bytes),
    hosts,
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
    const folder = path.dirname(source).startsWith(tables.folder) ? tables.folder : output;
    const object = path.join(folder, own ? variant : "objects", part, `${name.replace(/\.\w$/, "")}.o`);
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
    path.join(tables.folder, "generated", `mentioned-names-${variant}.c`),
    await mentionedNames({
      folder: path.join(xs, "sources"),
      engine: [...engine, ENGINE_DEFAULTS],
      hosts: tables.hosts,
      engineObjects: objects.filter(isOfEngine),
      hostObjects: objects.filter((object) => !isOfEngine(object)),
      modules: tables.compiled,
    }),
  );
  const namesJob = job("maker", names, ourFlags);
  await compileJobs([namesJob]);
  return { shared: objects, maker: objectsOf([...makerJobs, namesJob]), modules: modules.object };
}
