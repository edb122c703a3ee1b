/**
 * Compiles Zig to WebAssembly with the `zig` in the path, compiler and linker in one program. It is no package of Debian, so
 * that `svc` does not install it. Apps import `svc/svc.zig`, which the build writes into their directory, and the standard library,
 * as far as it needs no operating system.
 *
 * The linker places the stack at the bottom of the memory, so that an overflow traps. Checks of the language stay in: what fails
 * is logged, and traps.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { withFunctionNames } from "../../protocol/module-file.js";
import { replaceFile } from "../../tools/files.js";
import { withLock } from "../../tools/lock.js";
import { hasZig } from "../../tools/zig.js";
import { SdkError } from "../sdk-error.js";
import { PAGE_BYTES } from "./c.js";
import { dwarfLines } from "./lines/dwarf-lines.js";
import type { LineRow } from "./lines/line-row.js";
import { runCompiler } from "./run-compiler.js";

/** Formatting takes some of it. */
const ZIG_STACK_BYTES = 16_384;
/** Within the directory of an app. Zig 0.11 finds no module in a directory whose name begins with a dot. */
const MODULES = "svc";
const sdk = path.join(import.meta.dirname, "../zig");
const MODULE_FILES = ["svc.zig", "runtime.zig"] as const;
const output = path.join(import.meta.dirname, "../../build/zig");
const run = promisify(execFile);

const FLAGS = [
  ...["-target", "wasm32-freestanding"],
  // Default features differ between versions; every engine supports these.
  ...["-mcpu=mvp", "-fsingle-threaded"],
];
/** Without colours, Zig leaves out the line that a message is about. With them it draws its progress, which {@link runCompiler} erases. */
const MESSAGES = ["--color", "on"];
const APP_FLAGS = [...FLAGS, "-OReleaseSafe"];
const COMPILER_RT_FLAGS = [...FLAGS, "-OReleaseSmall", "-fcompiler-rt"];

/**
 * Writes what apps import, `svc.zig`, into an app's directory, where compiler and editors find it without any settings.
 * @param directory of the app
 */
export async function writeZigModules(directory: string): Promise<void> {
  for (const name of MODULE_FILES)
    await replaceFile(path.join(directory, MODULES, name), await readFile(path.join(sdk, name)));
}

/**
 * @param directory of the app
 * @param entry file name in the directory, which imports the others
 * @param pages of memory, which does not grow
 * @returns the module, and the lines of its sources
 * @throws {SdkError} `compile_failed` with the compiler's messages, `compiler_missing`
 */
export async function compileZig(
  directory: string,
  entry: string,
  pages: number,
): Promise<{ readonly module: Uint8Array; readonly rows: readonly LineRow[] }> {
  if (!hasZig())
    throw new SdkError("compiler_missing", "Cannot compile Zig: there is no zig in the path", {
      advice:
        "Download it from https://ziglang.org/download, 0.11 or newer, and put its directory into PATH.",
    });
  await writeZigModules(directory);
  const temporary = await mkdtemp(path.join(tmpdir(), "svc-app-"));
  try {
    const module = await compileAndLink(directory, entry, pages, temporary);
    return { module: withFunctionNames(module, shortName), rows: await linesOf(module, directory) };
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/**
 * Compiles and links in two steps, which every version of Zig does by the same options.
 * @param temporary directory
 */
async function compileAndLink(
  directory: string,
  entry: string,
  pages: number,
  temporary: string,
): Promise<Uint8Array> {
  const object = path.join(temporary, "app.o");
  const module = path.join(temporary, "app.wasm");
  await compileObject(entry, object, APP_FLAGS, { cache: temporary, directory });
  const memory = ["initial", "max"].map((which) => `--${which}-memory=${pages * PAGE_BYTES}`);
  const linkerFlags = [
    ...["--no-entry", "--export-if-defined=main", "--stack-first"],
    ...["-z", `stack-size=${ZIG_STACK_BYTES}`, ...memory],
  ];
  const words = ["wasm-ld", ...linkerFlags, "-o", module, object, await compilerRt()];
  await runCompiler("zig", words, { sources: entry });
  return readFile(module);
}

async function compileObject(
  source: string,
  object: string,
  flags: readonly string[],
  { cache, directory }: { readonly cache: string; readonly directory: string },
): Promise<void> {
  const words = ["build-obj", source, ...flags, ...MESSAGES, "--cache-dir", cache, `-femit-bin=${object}`];
  await runCompiler("zig", words, { sources: path.basename(source), directory });
}

/**
 * What the compiler calls by itself, such as `memcpy` and the division of wide numbers. It takes more than a second to compile, so
 * that it is kept for each version of Zig.
 */
async function compilerRt(): Promise<string> {
  const source = path.join(sdk, "compiler-rt.zig");
  const { stdout: version } = await run("zig", ["version"]);
  const stamp = createHash("sha256").update(version).update(COMPILER_RT_FLAGS.join(" ")).digest("hex");
  const object = path.join(output, `compiler-rt-${stamp.slice(0, 16)}.o`);
  return withLock(output, async () => {
    if (existsSync(object)) return object;
    const temporary = await mkdtemp(path.join(output, "build-"));
    try {
      const made = path.join(temporary, "compiler-rt.o");
      await compileObject(source, made, COMPILER_RT_FLAGS, { cache: temporary, directory: sdk });
      await rename(made, object);
    } finally {
      await rm(temporary, { recursive: true });
    }
    return object;
  });
}

/** Zig names files by their whole paths where they are not in the app's directory itself. */
async function linesOf(module: Uint8Array, directory: string): Promise<readonly LineRow[]> {
  const own = `${await realpath(directory)}/`;
  return dwarfLines(module).map((row) => {
    const { file } = row;
    return { ...row, file: file.startsWith(own) ? file.slice(own.length) : file.replace(LIBRARY, "") };
  });
}
/** Where this machine has the standard library. */
const LIBRARY = /^\/.*\/(?=(?:std|compiler_rt)\/)/;

/** LLVM's name for a `main` without arguments. */
const ENTRY = "__original_main";

/** Without the numbers by which Zig tells the instances of a function, and the directory that `svc.zig` is in. */
function shortName(name: string): string {
  if (name === ENTRY) return "main.main";
  return name.replace(/__(?:anon|struct|enum|union)_\d+/g, "").replace(/^svc\.(?=svc\.)/, "");
}
