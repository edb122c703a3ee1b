/**
 * The sources of XS with our patches: a copy in `build/engine`, since packages stay as they were installed.
 *
 * A patch is what `git format-patch --full-index` writes, so that the engine's authors can apply it. Its `index` lines
 * name each file before and after by its hash: a file of another version of the engine is refused.
 */
import { createHash } from "node:crypto";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { applyPatch, parsePatch } from "diff";
import { withLock } from "../tools/lock.js";
import { textOf } from "../tools/objects.js";

const root = path.join(import.meta.dirname, "..");
const original = path.join(root, "node_modules/xs/moddable");
const patchFolder = path.join(import.meta.dirname, "patches");
const copy = path.join(root, "build/engine");

/** The folder with the folders `includes`, `platforms` and `sources`; complete once {@link prepareEngine} has resolved. */
export const xs = path.join(copy, "xs");

/** Flags for XS, and for C that includes its headers. @param platform header of this name, which XS includes */
export function engineFlags(platform: string): readonly string[] {
  return [
    "-DINCLUDE_XSPLATFORM",
    `-DXSPLATFORM="${platform}"`,
    "-DmxParse=1",
    "-DmxRun=1",
    "-DmxNoConsole=1",
    "-DmxBoundsCheck=1",
    ...FOLDERS.map((folder) => `-isystem${xs}/${folder}`),
  ];
}

/** The folders of XS that are compiled, or included. */
const FOLDERS = Object.freeze(["includes", "platforms", "sources"]);

const INDEX_LINE = /^index ([0-9a-f]{40})\.\.([0-9a-f]{40})/m;

/** Copy the engine and apply the patches; a no-op while neither has changed. */
export function prepareEngine(): Promise<void> {
  return withLock(copy, async () => {
    const patches = await patchTexts();
    const stamp = JSON.stringify([await textOf(path.join(root, "node_modules/xs/package.json")), ...patches]);
    const stampFile = path.join(copy, "stamp");
    if ((await textOf(stampFile)) === stamp) return;
    await rm(xs, { recursive: true, force: true });
    // A copy has the time at which it was made: everything is compiled again, whatever a package or a patch took away.
    for (const folder of FOLDERS)
      await cp(path.join(original, "xs", folder), path.join(xs, folder), { recursive: true });
    for (const patch of patches) for (const change of changesOf(patch)) await patchFile(change);
    await writeFile(stampFile, stamp);
  });
}

async function patchTexts(): Promise<string[]> {
  const names = (await readdir(patchFolder)).filter((name) => name.endsWith(".patch")).sort();
  return Promise.all(names.map((name) => readFile(path.join(patchFolder, name), "utf8")));
}

interface FileChange {
  /** Path below the engine's folder. */
  readonly file: string;
  readonly text: string;
  /** Hashes of the file, as git has them. */
  readonly before: string;
  readonly after: string;
}

/** The changes of a patch, a file each. @throws if one does not name what it is for */
export function changesOf(patch: string): readonly FileChange[] {
  return patch.split(/^(?=diff --git )/m).flatMap((text) => {
    const [parsed] = text.startsWith("diff --git ") ? parsePatch(text) : [];
    if (!parsed?.newFileName) return [];
    const [, before, after] = INDEX_LINE.exec(text) ?? [];
    if (!before || !after)
      throw new Error(`Cannot apply a patch without a full index line: ${parsed.newFileName}`);
    return [{ file: parsed.newFileName.replace(/^b\//, ""), text, before, after }];
  });
}

async function patchFile(change: FileChange): Promise<void> {
  const target = path.join(copy, change.file);
  await writeFile(target, patched(await readFile(target, "utf8"), change));
}

/** @throws if the source is not the one that the patch is made for */
export function patched(source: string, { file, text, before, after }: FileChange): string {
  if (gitHash(source) !== before)
    throw new Error(`Cannot patch ${file}: the patch is made for another version of the engine`);
  const result = applyPatch(source, text);
  if (result === false || gitHash(result) !== after)
    throw new Error(`Cannot patch ${file}: the patch is damaged`);
  return result;
}

/** The hash under which git stores a file. */
function gitHash(text: string): string {
  const bytes = Buffer.from(text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
