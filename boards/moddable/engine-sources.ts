/**
 * The engine's sources for a board, without the fault of version 8.2.3 of the SDK. There, an `else` is missing in
 * `fxAllocateRegExpData` (xs/sources/xsre.c): the match data of a RegExp comes from `malloc`, is taken for a chunk of the
 * heap, and the first collection corrupts the heap.
 *
 * The SDK of the user stays as it is. A folder of links to its `xs`, with a corrected copy of that one file, takes its
 * place for make. For the simulator, the linker replaces the function (device/hosts/moddable/native/regexp-memory.c); a
 * board's firmware is linked by ESP-IDF.
 */
import { lstat, mkdir, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { writeIfChanged } from "../../tools/files.js";
import { SdkProblem } from "./sdk.js";

const FILE = "sources/xsre.c";
/** The fault, and where the `else` belongs. */
const FAULT =
  /(\bif \(the\)\s*data = fxNewChunk\(the, size\);[ \t]*\r?\n)(?=#endif\s*\{\s*data = c_malloc\(size\);)/g;
const CORRECT = /\bif \(the\)\s*data = fxNewChunk\(the, size\);\s*else\b/;

/**
 * @param xs the SDK's folder of that name
 * @param output the folder of links, if one is needed
 * @returns `xs` or `output`
 * @throws {SdkProblem} for an engine that is neither known to be faulty nor to be correct
 */
export async function soundEngine(xs: string, output: string): Promise<string> {
  const file = path.join(xs, FILE);
  const text = await readFile(file, "utf8").catch(() => {
    throw new SdkProblem(`The Moddable SDK is incomplete: "${file}" cannot be read`);
  });
  if (CORRECT.test(text)) return xs;
  if (text.match(FAULT)?.length !== 1)
    throw new SdkProblem(
      `Unknown engine: "${file}" allocates the memory of regular expressions in another way than version 8.2.3 and its correction`,
    );
  await linkAll(xs, output, ["sources"]);
  await linkAll(path.join(xs, "sources"), path.join(output, "sources"), [path.basename(FILE)]);
  await writeIfChanged(path.join(output, FILE), text.replace(FAULT, "$1\telse\n"));
  return output;
}

/** Makes `output` a folder of links to all of `folder` but `others`, which it leaves alone. */
async function linkAll(folder: string, output: string, others: readonly string[]): Promise<void> {
  await mkdir(output, { recursive: true });
  const wanted = (await readdir(folder)).filter((name) => !others.includes(name));
  const stale = (await readdir(output)).filter((name) => ![...wanted, ...others].includes(name));
  for (const name of stale) await rm(path.join(output, name), { recursive: true });
  for (const name of wanted) await link(path.join(folder, name), path.join(output, name));
}

async function link(target: string, at: string): Promise<void> {
  const old = await readlink(at).catch(() => undefined);
  if (old === target) return;
  if (await lstat(at).catch(() => undefined)) await rm(at, { recursive: true });
  await symlink(target, at);
}

/**
 * Environment in which make takes the engine from `xs`, whatever its makefile says (GNU make, *Overriding Variables*).
 * @param flags the present MAKEFLAGS, if any
 */
export function environmentFor(xs: string, flags: string | undefined): { readonly MAKEFLAGS: string } {
  const given = flags && !/^\s*-/.test(flags) && !/^\s*\S+=/.test(flags) ? `-${flags.trim()}` : (flags ?? "");
  return { MAKEFLAGS: `${given} XS_DIR=${xs.replace(/[\\\s]/g, "\\$&")}`.trim() };
}
