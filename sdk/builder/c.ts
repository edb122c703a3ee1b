/**
 * Compiles C to WebAssembly with the system's clang and wasm-ld. There is no C library, only `svc.h`, the compiler's
 * own headers, and the few functions that the compiler calls implicitly.
 *
 * The stack lies at the bottom of the memory, so that an overflow traps instead of overwriting the app's variables.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CompileError, SdkError } from "../sdk-error.js";

/** Stack size within the app's memory. */
export const STACK_BYTES = 4096;
/** Memory size, fixed: one page, as consoles give an app unless its manifest asks for more. */
export const MEMORY_BYTES = 65536;

const run = promisify(execFile);
const headers = path.join(import.meta.dirname, "../include");
const memoryFunctions = path.join(import.meta.dirname, "../c/memory.c");

export const COMPILER_FLAGS = [
  "--target=wasm32",
  // clang's default features differ between versions; every engine supports these.
  "-mcpu=mvp",
  "-std=c11",
  "-Os",
  "-ffreestanding",
  "-Wall",
  "-Wextra",
  `-I${headers}`,
];
const LINKER_FLAGS = [
  "--no-entry",
  "--export-if-defined=main",
  "--stack-first",
  ...["-z", `stack-size=${STACK_BYTES}`],
  `--initial-memory=${MEMORY_BYTES}`,
  `--max-memory=${MEMORY_BYTES}`,
];

/** Whether this system can compile C to WebAssembly. */
export function hasClang(): boolean {
  return ["clang", "wasm-ld"].every((tool) => spawnSync(tool, ["--version"]).status === 0);
}

/**
 * @param directory of the app
 * @param sources file names in the directory
 * @returns the module
 * @throws {SdkError} `compile_failed` with the compiler's messages, `compiler_missing`
 */
export async function compileC(directory: string, sources: readonly string[]): Promise<Uint8Array> {
  const temporary = await mkdtemp(path.join(tmpdir(), "svc-app-"));
  try {
    return await compileAndLink(directory, [...sources, memoryFunctions], temporary);
  } catch (error) {
    throw compileError(sources, error as { code?: string; stderr?: string });
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** @param error of clang or wasm-ld */
function compileError(sources: readonly string[], error: { code?: string; stderr?: string }): SdkError {
  if (error.code !== "ENOENT") return new CompileError(sources.join(" "), error.stderr || String(error));
  return new SdkError("compiler_missing", "Cannot compile C: clang or wasm-ld is missing", {
    advice: "Install both; on Debian and Ubuntu: sudo apt-get install clang lld",
  });
}

/**
 * Compiles and links in two steps: when clang links, it runs wasm-opt if installed, which removes the function names
 * that the console logs when an app traps.
 * @param temporary directory
 */
async function compileAndLink(directory: string, sources: readonly string[], temporary: string) {
  const objects = sources.map((_, index) => path.join(temporary, `${index}.o`));
  const output = path.join(temporary, "app.wasm");
  for (const [index, source] of sources.entries()) {
    const flags = [...COMPILER_FLAGS, "-c", source, "-o", objects[index] ?? ""];
    const { stderr } = await run("clang", flags, { cwd: directory });
    process.stderr.write(stderr); // warnings
  }
  await run("wasm-ld", [...LINKER_FLAGS, "-o", output, ...objects]);
  return readFile(output);
}
