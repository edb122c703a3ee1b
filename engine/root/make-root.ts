/**
 * Makes the root of a board on the desktop (native/root.h): compiles the maker for 32 bits, where words have the size and
 * order of a board's, links it with the program's modules, and runs it. The root names functions of hosts and takes nothing
 * else of them, so the maker has stand-ins for all of them, and needs no compiler of the board.
 *
 * Everything is compiled without optimization: what C mentions is then what its source says, whichever compiler reads it.
 */
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { writeIfChanged } from "../../tools/files.js";
import { withLock } from "../../tools/lock.js";
import { engineSources } from "../../tools/native-sources.js";
import { compileStale } from "../../tools/objects.js";
import { compileModules } from "../bytecode/bytecode.js";
import { engineFlags, prepareEngine, xs } from "../engine.js";
import { type Module, moduleTable, nativeTable } from "../machine/generate-tables.js";
import { bundleProgram } from "../program/firmware.js";
import type { FirmwareOptions } from "../program/firmware-modules.js";
import { desktopCompiler } from "./desktop-compiler.js";
import { mentionedNames } from "./mentioned-names.js";
import { type Root, readRoot } from "./root-files.js";
import {
  CLONE_INCLUDES,
  DESKTOP_INCLUDES,
  desktopSources,
  ENGINE_DEFAULTS,
  MAKER_INCLUDES,
} from "./sources.js";
import { standInsFor } from "./stand-ins.js";

const run = promisify(execFile);
const output = path.join(import.meta.dirname, "../../build/root");

/** Where the maker takes the root to begin. The board's linker puts it wherever it likes. */
const ROOT_ADDRESS = 0x80200000;

const FLAGS = Object.freeze([
  ...["-std=gnu11", "-O0", "-w", "-fno-common", "-ffunction-sections", "-fdata-sections", "-D_GNU_SOURCE"],
  "-Wno-implicit-function-declaration", // of ntohl, in a file of XS that nothing calls
  // Addresses are numbers of the linker, numbers are those of IEEE 754, and structures are aligned as on boards.
  ...["-fno-pic", "-fno-pie", "-fno-stack-protector", "-msse2", "-mfpmath=sse", "-malign-double"],
  ...engineFlags("board-platform.h"),
  ...[...CLONE_INCLUDES, ...MAKER_INCLUDES, ...DESKTOP_INCLUDES].map((folder) => `-I${folder}`),
]);

/** Built-ins that no program of ours uses (native/engine-defaults.c). */
const STRIPPED = ["fxBuildAtomics", "fxBuildBigInt"].map((name) => `-D${name}=__wrap_${name}`);

/** What the root is for. */
export interface RootBoard {
  readonly hostModules: readonly Module[];
  /** Its C: texts in it may be names. */
  readonly hosts: readonly string[];
  /** Those of its C files that the desktop compiles, too: which functions of the engine do hosts call? */
  readonly callers: readonly string[];
  /** For the callers. */
  readonly flags: readonly string[];
  /** The table of names that C mentions, where another compiler has shown them. */
  readonly names?: string;
}

/**
 * @param folder for all output that is of this program
 * @throws {Error} if there is no compiler for 32 bits
 */
export function makeRoot(options: FirmwareOptions, board: RootBoard, folder: string): Promise<Root> {
  return withLock(output, async () => {
    await prepareEngine();
    await mkdir(folder, { recursive: true });
    const { program } = await bundleProgram(options);
    const modules = await compileModules(program, board.hostModules, output, path.join(folder, "modules"));
    const maker = path.join(folder, "root-maker");
    const objects = await compileMaker(board, modules, folder);
    const { command, flags } = await desktopCompiler();
    await run(command, [...flags, "-static", "-no-pie", "-Wl,--gc-sections", ...objects, "-lm", "-o", maker]);
    await run(maker, [String(ROOT_ADDRESS)], { cwd: folder });
    return readRoot(folder, maker, ROOT_ADDRESS);
  });
}

async function compileMaker(board: RootBoard, modules: readonly Module[], folder: string): Promise<string[]> {
  const write = (name: string, text: string) => writeIfChanged(path.join(folder, name), text);
  const standIns = await write("stand-ins.c", standInsFor(board.hostModules));
  const generated = [
    standIns,
    await write("native-table.c", await nativeTable([standIns])),
    await write("module-table.c", moduleTable(modules)),
  ];
  const job = (part: string, source: string, flags: readonly string[] = []) => ({
    source,
    object: path.join(source.startsWith(folder) ? folder : output, part, `${path.basename(source, ".c")}.o`),
    flags: [...FLAGS, ...flags],
  });
  const engine = [...(await engineSources(xs)), ENGINE_DEFAULTS].map((source) =>
    job("engine", source, path.basename(source) === "xsAPI.c" ? STRIPPED : []),
  );
  const maker = [...(await desktopSources()), ...generated].map((source) => job("maker", source));
  const callers = board.callers.map((source) => job("callers", source, board.flags));
  await compileAll([...engine, ...maker, ...callers]);
  const names = await write(
    "mentioned-names.c",
    board.names ??
      (await mentionedNames({
        folder: path.join(xs, "sources"),
        engine: engine.map(({ source }) => source),
        hosts: board.hosts,
        engineObjects: engine.map(({ object }) => object),
        hostObjects: callers.map(({ object }) => object),
        modules: modules.map(({ bytes }) => bytes),
      })),
  );
  const namesJob = job("maker", names);
  await compileAll([namesJob]);
  return [...engine, ...maker, namesJob].map(({ object }) => object);
}

async function compileAll(
  jobs: readonly { source: string; object: string; flags: string[] }[],
): Promise<void> {
  const { command, flags } = await desktopCompiler();
  const complete = jobs.map((job) => ({ ...job, flags: [...flags, ...job.flags] }));
  await compileStale(command, complete, (count) =>
    process.stderr.write(`root: compiling ${count} files (desktop)\n`),
  );
}
