/**
 * Compiles apps in AssemblyScript. Apps import the console's functions from `"svc"`.
 *
 * The memory has the size of the manifest's quota, with 4096 bytes for the stack of references. The runtime collects garbage:
 * without it, an app that draws a line of text every second would use up its memory within an hour.
 */
import { compileModule } from "../../tools/assemblyscript.js";
import { CompileError } from "../sdk-error.js";
import { STACK_BYTES } from "./c.js";
import type { Optimization } from "./optimization.js";
import { showWarnings } from "./run-compiler.js";

const flagsFor = (optimization: Optimization) =>
  [
    ["--runtime", "incremental"],
    ["--stackSize", `${STACK_BYTES}`],
    ["--optimizeLevel", "3", "--shrinkLevel", optimization === "size" ? "1" : "0"],
    // Keeps the function names, which the console logs when an app traps.
    ["--debug"],
    ["--sourceMap"],
  ].flat();

/**
 * @param directory of the app
 * @param entry file name in the directory; exports `main`
 * @param pages of memory
 * @returns the module, and its source map
 * @throws {CompileError}
 */
export async function compileAssemblyScript(
  directory: string,
  entry: string,
  pages: number,
  optimization: Optimization = "size",
): Promise<{ module: Uint8Array; sourceMap?: string }> {
  const { module, said, sourceMap } = await compileModule(directory, entry, flagsFor(optimization), pages);
  if (!module) throw new CompileError(entry, said);
  showWarnings(said);
  return { module, ...(sourceMap !== undefined && { sourceMap }) };
}
