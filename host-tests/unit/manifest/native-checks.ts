/** Whether the C that a manifest compiles is what its modules call, and finds the headers of ours that it includes. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ManifestTree } from "./manifest-tree.js";

const textOf = (file: string) => readFileSync(file, "utf8");
const matches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map((match) => match[1] as string);

/** @returns host functions that a module names and no C file defines */
export function undefinedNatives({ modules, sources }: ManifestTree): readonly string[] {
  const defined = new Set(
    [...sources].flatMap((file) => matches(textOf(file), /^void (xs_\w+)\((?:xsMachine|void) \*\w+\)/gm)),
  );
  const named = [...modules.values()].flatMap((file) => matches(textOf(file), /\b[nN]ative\("(\w+)"\)/g));
  return [...new Set(named)].filter((name) => !defined.has(name));
}

/** @returns headers below `root` that a C file includes and that are in no directory of the manifest's */
export function unreachableHeaders(
  { sources, headerFolders }: ManifestTree,
  root: string,
): readonly string[] {
  const directories = new Set([...[...sources].map((file) => path.dirname(file)), ...headerFolders]);
  const headersIn = (directory: string) => readdirSync(directory).filter((name) => name.endsWith(".h"));
  const reachable = new Set([...directories].flatMap(headersIn));
  const ours = new Set(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".h"))
      .map((name) => path.basename(name)),
  );
  const included = [...sources].flatMap((file) => matches(textOf(file), /^#\s*include "([^"]+)"/gm));
  return [...new Set(included)].filter((name) => ours.has(name) && !reachable.has(name));
}
