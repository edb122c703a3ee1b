/** Compiles AssemblyScript to WebAssembly: the sources of an app, with the bindings of the SDK as `"svc"`. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { loadAsc } from "./asc.js";
import { shownText } from "./shown-text.js";

const library = path.join(import.meta.dirname, "../sdk/assemblyscript");

/** For every module: what engines for small devices support. */
const FLAGS = [
  ["--lib", library],
  ["--use", "abort=~lib/abort/abort"],
  ["--use", "seed=~lib/globals/seed", "--use", "trace=~lib/globals/trace"],
  ["--disable", "bulk-memory", "--disable", "nontrapping-f2i"],
].flat();

/** Warnings go to standard error. */
export interface Compilation {
  /** `undefined` if the sources have errors, which `said` tells. */
  readonly module: Uint8Array | undefined;
  /** With the flag `--sourceMap`. */
  readonly sourceMap?: string;
  readonly said: string;
}

/**
 * @param directory of the sources
 * @param entry file name in the directory; exports `main`
 * @param flags of the compiler, besides those of every module
 * @param pages of memory, of 64 KiB each, which does not grow
 */
export async function compileModule(
  directory: string,
  entry: string,
  flags: readonly string[],
  pages = 1,
): Promise<Compilation> {
  let module: Uint8Array | undefined;
  let sourceMap: string | undefined;
  const host = {
    /** asc's own function searches all directories below the base, and none below that of a library. */
    listFiles(name: string, base: string) {
      const files = readdirSync(path.resolve(base, name), { encoding: "utf8", recursive: name === library });
      return files.filter((file) => file.endsWith(".ts"));
    },
    writeFile(name: string, contents: string | Uint8Array) {
      if (typeof contents !== "string") module = contents;
      else if (name.endsWith(".map")) sourceMap = contents;
    },
  };
  const words = [entry, "--baseDir", directory, "--outFile", "app.wasm", ...flags, ...FLAGS];
  words.push("--initialMemory", `${pages}`, "--maximumMemory", `${pages}`);
  const asc = await loadAsc();
  const { error, stderr } = await survivingCrashes(() => asc.main(words, host));
  const said = shownText(stderr.toString());
  return error
    ? { module: undefined, said: said || error.message }
    : { module, said, ...(sourceMap && { sourceMap }) };
}

/** With which asc ends the process when it or Binaryen crashes, after a message on standard error. */
const CRASHED = 1;

/** A crash of the compiler is the end of a compilation, and not of the process or thread. */
async function survivingCrashes(
  compile: () => Promise<{ error: Error | null; stderr: { toString(): string } }>,
): Promise<{ error: Error | null; stderr: { toString(): string } }> {
  const { exit } = process;
  process.exit = (code) => {
    if (code !== CRASHED) exit(code);
    throw new Error("The AssemblyScript compiler has crashed");
  };
  try {
    return await compile();
  } catch (error) {
    return { error: error as Error, stderr: { toString: () => "" } };
  } finally {
    process.exit = exit;
  }
}
