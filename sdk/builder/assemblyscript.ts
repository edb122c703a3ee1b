/**
 * AssemblyScript to WebAssembly. Apps import the console's functions from `"svc"`.
 *
 * The memory is what the console gives an app by default, one page that does not grow, with 4096 bytes of it
 * for the stack of references. The runtime collects garbage: with one that never frees, an app that draws a
 * line of text every second would have used up its memory within the hour.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import asc from "assemblyscript/asc";
import { CompileError } from "./compile-error.js";
import { STACK_BYTES } from "./limits.js";

const library = path.join(import.meta.dirname, "../assemblyscript");

const FLAGS = [
  ["--lib", library],
  ["--use", "abort=~lib/abort/abort"],
  ["--runtime", "incremental"],
  ["--stackSize", `${STACK_BYTES}`],
  ["--initialMemory", "1"],
  ["--maximumMemory", "1"],
  ["--optimizeLevel", "3", "--shrinkLevel", "1"],
  // Only what engines for small devices have in any version.
  ["--disable", "bulk-memory", "--disable", "nontrapping-f2i"],
  // Keeps the names of functions, which the console logs when an app traps.
  ["--debug"],
].flat();

/**
 * @param directory of the app
 * @param entry file in it that exports `main`
 * @returns the module
 * @throws {CompileError}
 */
export async function compileAssemblyScript(directory: string, entry: string): Promise<Uint8Array> {
  let module: Uint8Array | undefined;
  const host = {
    /** asc's own looks for every directory below the base. */
    listFiles(name: string, base: string) {
      return readdirSync(path.resolve(base, name)).filter((file) => file.endsWith(".ts"));
    },
    writeFile(_name: string, contents: string | Uint8Array) {
      if (typeof contents !== "string") module = contents;
    },
  };
  const flags = [entry, "--baseDir", directory, "--outFile", "app.wasm", ...FLAGS];
  const { error, stderr } = await asc.main(flags, host);
  if (error || !module) throw new CompileError(entry, stderr.toString() || String(error?.message));
  process.stderr.write(stderr.toString()); // warnings
  return module;
}
