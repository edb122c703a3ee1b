/**
 * Caches linked libraries of the simulator by the parts that they were linked from.
 *
 * The SDK's linker copies addresses of its own memory into its output, and numbers names in the order in which earlier
 * builds introduced them. So the same sources link to other bytes whenever another version was built between, and a
 * console that is flashed with other bytes loses its update. The compiled parts have the same bytes each time: a
 * library that was linked from the same parts is the same firmware and is reused.
 *
 * Rejected: the linker without randomised addresses (`setarch -R`), which containers forbid, and which does not fix
 * the names; a digest of the sources, which would have to cover all of them, the SDK and the compiler.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";

/** About 5 MB each. The most recently used ones stay: each start uses the library that a console was flashed with. */
const MAXIMUM_KEPT = 8;

/** The linker's own output, and its object file. */
const LINKED = /\/mc\.xs\.c\.o$/;
const PART = /\.(o|xsb)$|\/makefile$/;

/**
 * Returns the first library that was linked from these parts.
 * @param directory of the cache
 * @param parts directory of the compiled parts
 * @param linked file of the library that has just been linked from them
 */
export async function firstOfSameParts(directory: string, parts: string, linked: string): Promise<Buffer> {
  const kept = path.join(directory, `${await digestOfParts(parts)}.so`);
  if (!(await note(kept))) {
    await replaceFile(kept, await readFile(linked));
    await forgetOldest(directory);
  }
  return readFile(kept);
}

/**
 * Marks a file as used now.
 * @returns whether it exists
 */
function note(file: string): Promise<boolean> {
  const now = new Date();
  return utimes(file, now, now).then(
    () => true,
    () => false, // created by the caller
  );
}

async function digestOfParts(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const digest = createHash("sha256");
  for (const name of names.filter((name) => PART.test(name) && !LINKED.test(name)).sort()) {
    const content = await readFile(path.join(directory, name));
    digest.update(`${name}\n${content.length}\n`).update(content);
  }
  return digest.digest("hex");
}

async function forgetOldest(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".so"));
  const files = names.map((name) => path.join(directory, name));
  const times = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
  const oldest = times.sort((one, other) => other.at - one.at).slice(MAXIMUM_KEPT);
  for (const { file } of oldest) await rm(file, { force: true });
}
