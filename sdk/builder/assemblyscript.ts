/**
 * Compiles AssemblyScript to WebAssembly. Apps import the console's functions from `"svc"`.
 *
 * The memory has the console's default size: one page that does not grow, with 4096 bytes for the stack of references.
 * The runtime collects garbage: without it, an app that draws a line of text every second would use up its memory
 * within an hour.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import asc from "assemblyscript/asc";
import { CompileError } from "../sdk-error.js";
import { STACK_BYTES } from "./c.js";

const library = path.join(import.meta.dirname, "../assemblyscript");

const FLAGS = [
  ["--lib", library],
  ["--use", "abort=~lib/abort/abort"],
  ["--initialMemory", "1"],
  ["--maximumMemory", "1"],
  // Only features that all engines for small devices support.
  ["--disable", "bulk-memory", "--disable", "nontrapping-f2i"],
].flat();

const RUNTIMES = {
  collecting: [
    ["--runtime", "incremental"],
    ["--stackSize", `${STACK_BYTES}`],
    ["--optimizeLevel", "3", "--shrinkLevel", "1"],
    // Keeps the function names, which the console logs when an app traps.
    ["--debug"],
  ].flat(),
  // Without a collector there is no stack of references, which halves the code.
  static: ["--runtime", "stub", "--optimizeLevel", "2", "--shrinkLevel", "2"],
};

/**
 * @param directory of the app
 * @param entry file name in the directory; exports `main`
 * @param runtime `static` is for an app of the firmware that allocates nothing after its start: small, without names
 * @returns the module
 * @throws {CompileError}
 */
export async function compileAssemblyScript(
  directory: string,
  entry: string,
  runtime: keyof typeof RUNTIMES = "collecting",
): Promise<Uint8Array> {
  let module: Uint8Array | undefined;
  const host = {
    /** asc's own function searches all directories below the base. */
    listFiles(name: string, base: string) {
      return readdirSync(path.resolve(base, name)).filter((file) => file.endsWith(".ts"));
    },
    writeFile(_name: string, contents: string | Uint8Array) {
      if (typeof contents !== "string") module = contents;
    },
  };
  const flags = [entry, "--baseDir", directory, "--outFile", "app.wasm", ...RUNTIMES[runtime], ...FLAGS];
  const { error, stderr } = await asc.main(flags, host);
  if (error || !module) throw new CompileError(entry, stderr.toString() || String(error?.message));
  process.stderr.write(stderr.toString()); // warnings
  return module;
}
