/** The root as an object file. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { rootAssembly } from "../../../engine/root/root-assembly.js";
import type { Root } from "../../../engine/root/root-files.js";
import { COMPILER_FLAGS, compile } from "./toolchain.js";

/**
 * @param directory with the file `root`
 * @returns the object
 * @throws {Error} if the root refers to something without a global name
 */
export async function rootObject(directory: string, root: Root): Promise<string> {
  const source = path.join(directory, "root.s");
  const object = path.join(directory, "root.o");
  await writeFile(source, rootAssembly(root));
  await compile([...COMPILER_FLAGS, `-Wa,-I${directory}`, "-c", source, "-o", object]);
  return object;
}
