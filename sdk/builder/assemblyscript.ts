/**
 * Compiles apps in AssemblyScript. Apps import the console's functions from `"svc"`.
 *
 * The memory has the console's default size, with 4096 bytes for the stack of references. The runtime collects garbage:
 * without it, an app that draws a line of text every second would use up its memory within an hour.
 */
import { compileModule } from "../../tools/assemblyscript.js";
import { CompileError } from "../sdk-error.js";
import { STACK_BYTES } from "./c.js";

const FLAGS = [
  ["--runtime", "incremental"],
  ["--stackSize", `${STACK_BYTES}`],
  ["--optimizeLevel", "3", "--shrinkLevel", "1"],
  // Keeps the function names, which the console logs when an app traps.
  ["--debug"],
].flat();

/**
 * @param directory of the app
 * @param entry file name in the directory; exports `main`
 * @returns the module
 * @throws {CompileError}
 */
export async function compileAssemblyScript(directory: string, entry: string): Promise<Uint8Array> {
  const { module, said } = await compileModule(directory, entry, FLAGS);
  if (!module) throw new CompileError(entry, said);
  process.stderr.write(said); // warnings
  return module;
}
