/**
 * Libraries of the simulator's that have been linked before, kept by what they were linked of.
 *
 * The SDK's linker copies addresses of its own memory into what it writes, and numbers names in the order in which
 * earlier builds came upon them. So the same sources link to other bytes whenever another version was built between,
 * and a console that is flashed with other bytes loses the update that it has. What make compiles before, it compiles
 * to the same bytes each time: a library that was linked of the same parts is the same firmware, and is taken again.
 *
 * Not chosen: the linker without randomised addresses (`setarch -R`), which containers forbid, and which leaves the
 * names; a digest of the sources, which would have to know what all of them, the SDK and the compiler come to.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";

/** Of some 5 MB each. Those that were taken last stay: what a console was flashed with is taken at each start. */
const MAXIMUM_KEPT = 8;

/** What the linker itself writes, and how that is compiled. */
const LINKED = /\/mc\.xs\.c\.o$/;
const PART = /\.(o|xsb)$|\/makefile$/;

/**
 * The library that was linked of these parts first.
 * @param directory of the kept ones
 * @param parts directory of what was compiled
 * @param linked file of the library that has just been linked of them
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
 * That it is taken now.
 * @returns whether it is there
 */
function note(file: string): Promise<boolean> {
  const now = new Date();
  return utimes(file, now, now).then(
    () => true,
    () => false, // made below
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
