/**
 * Compiles C and C++ to WebAssembly with the system's clang and wasm-ld. There is no library of either, only `svc.h`, the
 * compiler's own headers, and the few functions that the compiler calls implicitly. C++ has no exceptions and no RTTI.
 *
 * The stack lies at the bottom of the memory, so that an overflow traps instead of overwriting the app's variables.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SdkError } from "../sdk-error.js";
import type { Optimization } from "./optimization.js";
import { isMissingProgram, runCompiler, showWarnings } from "./run-compiler.js";

/** Stack size within the app's memory. */
export const STACK_BYTES = 4096;
/** A page of memory. */
export const PAGE_BYTES = 65_536;
const sdk = path.dirname(import.meta.dirname);
const headers = path.join(sdk, "include");
const memoryFunctions = path.join(sdk, "c/memory.c");
const cplusplusFunctions = path.join(sdk, "c/cplusplus.cpp");

const COMMON_FLAGS = [
  "--target=wasm32",
  // clang's default features differ between versions; every engine supports these.
  "-mcpu=mvp",
  "-Os",
  "-ffreestanding",
  "-Wall",
  "-Wextra",
  `-I${headers}`,
];
export const C_FLAGS = [...COMMON_FLAGS, "-std=c11"];
export const CPLUSPLUS_FLAGS = [
  ...COMMON_FLAGS,
  ...["-std=c++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-nostdinc++"],
];
const CPLUSPLUS_FILE = /\.(?:cpp|cc|cxx)$/;
/** The sources among files of an app. */
export const C_FAMILY_FILE = /\.(?:c|cpp|cc|cxx)$/;

export function isCplusplus(source: string): boolean {
  return CPLUSPLUS_FILE.test(source);
}

/** Lines of the sources, without directories of this machine. The packed module does not have them. */
const LINE_FLAGS = [
  ...["-gdwarf-4", "-gline-tables-only"],
  ...["-ffile-compilation-dir=.", `-ffile-prefix-map=${sdk}=svc`],
];
/** The last one counts. */
const OPTIMIZATION_FLAGS = Object.freeze({ size: [], speed: ["-O2"] });
const LINKER_FLAGS = [
  "--no-entry",
  "--export-if-defined=main",
  "--stack-first",
  "--demangle",
  ...["-z", `stack-size=${STACK_BYTES}`],
];

/** Whether this system can compile C and C++ to WebAssembly. */
export function hasClang(): boolean {
  return ["clang", "wasm-ld"].every((tool) => spawnSync(tool, ["--version"]).status === 0);
}

/**
 * @param directory of the app
 * @param sources file names in the directory
 * @param pages of memory, which does not grow
 * @returns the module
 * @throws {SdkError} `compile_failed` with the compiler's messages, `compiler_missing`
 */
export async function compileC(
  directory: string,
  sources: readonly string[],
  pages = 1,
  optimization: Optimization = "size",
): Promise<Uint8Array> {
  const temporary = await mkdtemp(path.join(tmpdir(), "svc-app-"));
  try {
    const own = sources.some(isCplusplus) ? [memoryFunctions, cplusplusFunctions] : [memoryFunctions];
    const files = [...sources, ...own];
    return await compileAndLink(directory, files, {
      pages,
      optimization,
      temporary,
      named: sources.join(" "),
    });
  } catch (error) {
    throw isMissingProgram(error) ? compilerMissing() : error;
  } finally {
    await rm(temporary, { recursive: true });
  }
}

function compilerMissing(): SdkError {
  return new SdkError("compiler_missing", "Cannot compile C or C++: clang or wasm-ld is missing", {
    advice: "Install both; on Debian and Ubuntu: sudo apt-get install clang lld",
  });
}

/**
 * Compiles and links in two steps: when clang links, it runs wasm-opt if installed, which removes the function names
 * that the console logs when an app traps.
 * @param temporary directory
 * @param named the app's own sources, for messages
 */
async function compileAndLink(
  directory: string,
  sources: readonly string[],
  {
    pages,
    optimization,
    temporary,
    named,
  }: {
    readonly pages: number;
    readonly optimization: Optimization;
    readonly temporary: string;
    readonly named: string;
  },
) {
  const objects = sources.map((_, index) => path.join(temporary, `${index}.o`));
  const output = path.join(temporary, "app.wasm");
  for (const [index, source] of sources.entries()) {
    const language = isCplusplus(source) ? CPLUSPLUS_FLAGS : C_FLAGS;
    const flags = [
      ...language,
      ...OPTIMIZATION_FLAGS[optimization],
      ...LINE_FLAGS,
      "-c",
      source,
      "-o",
      objects[index] ?? "",
    ];
    showWarnings(await runCompiler("clang", flags, { sources: named, directory }));
  }
  const memory = ["initial", "max"].map((which) => `--${which}-memory=${pages * PAGE_BYTES}`);
  await runCompiler("wasm-ld", [...LINKER_FLAGS, ...memory, "-o", output, ...objects], { sources: named });
  return readFile(output);
}
