/** The C and assembly files of a directory, for what is compiled from all of them. */
import { readdir } from "node:fs/promises";
import path from "node:path";

/** @returns paths of the C and assembly files, in alphabetical order */
export async function nativeSources(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /\.[cS]$/.test(name)).sort();
  return names.map((name) => path.join(directory, name));
}

/** The engine of XS without the defaults that a board replaces. @param xs directory of XS */
export async function engineSources(xs: string): Promise<string[]> {
  const sources = await nativeSources(path.join(xs, "sources"));
  return sources.filter((source) => !source.endsWith("/xsDefaults.c"));
}

/** Whether a file of `device/wasm/native` belongs to the interpreter, which is compiled as foreign C is. */
export function isInterpreter(source: string): boolean {
  return path.basename(source).startsWith("wasm3-");
}
