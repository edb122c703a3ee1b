/** The C of this folder: of a console whose machine is a clone of its root, and of the maker of roots. */
import path from "node:path";
import { nativeSources } from "../../tools/native-sources.js";

const machine = path.join(import.meta.dirname, "../machine/native");
const native = path.join(import.meta.dirname, "native");
const maker = path.join(import.meta.dirname, "maker");
const desktop = path.join(import.meta.dirname, "desktop");

/** Of the machine: what evaluates modules and freezes what they leave, which a clone never does. */
const MAKING: ReadonlySet<string> = new Set(["freeze.c", "link-code.c", "program.c"]);

/** Of machine and clone: what the maker on the desktop runs, which has no event loop and clones nothing. */
const RUN_BY_MAKER: ReadonlySet<string> = new Set([
  ...["arena.c", "machine-life.c", "natives.c", "no-parser.c", "platform.c"],
  ...MAKING,
]);

const hasName = (names: ReadonlySet<string>) => (source: string) => names.has(path.basename(source));

/** The host modules that every machine has. */
export const MACHINE_MODULES = path.join(import.meta.dirname, "../machine/modules");

/** XS's own table of what programs can reach, for boards. */
export const ENGINE_DEFAULTS = path.join(native, "engine-defaults.c");

/** Folders with headers. */
export const CLONE_INCLUDES: readonly string[] = Object.freeze([native, machine]);
export const MAKER_INCLUDES: readonly string[] = Object.freeze([maker]);

/** Headers of hosts that the machine includes. */
export const DESKTOP_INCLUDES: readonly string[] = Object.freeze(
  ["common/native", "posix/native/boot", "posix/native/process"].map((name) =>
    path.join(import.meta.dirname, "../../device/hosts", name),
  ),
);

/** What a console compiles of the machine and of its root. */
export async function cloneSources(): Promise<string[]> {
  const sources = [...(await nativeSources(native)), ...(await nativeSources(machine))];
  return sources.filter((source) => !hasName(MAKING)(source));
}

/** The rest of the maker. */
export async function makerSources(): Promise<string[]> {
  return [...(await nativeSources(maker)), ...(await nativeSources(machine)).filter(hasName(MAKING))];
}

/** The maker as a program of the desktop, without the engine and what is generated. */
export async function desktopSources(): Promise<string[]> {
  const folders = await Promise.all([native, machine].map(nativeSources));
  const others = await Promise.all([maker, desktop].map(nativeSources));
  return [...folders.flat().filter(hasName(RUN_BY_MAKER)), ...others.flat()];
}
