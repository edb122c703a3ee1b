/** What has to hold between a manifest, the sources that it names, and the modules that a console loads. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { importsOf } from "./code-checks.js";
import type { ManifestTree } from "./manifest-tree.js";

/** TypeScript and JavaScript below directories, without declarations. */
export function codeBelow(directories: readonly string[]): readonly string[] {
  return directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|js)$/.test(name) && !name.endsWith(".d.ts"))
      .map((name) => path.join(directory, name)),
  );
}

/** @returns files that the manifest neither includes nor excludes, such as those of an unknown folder */
export function forgottenFiles(tree: ManifestTree, files: readonly string[]): readonly string[] {
  const taken = new Set(tree.modules.values());
  return files.filter((file) => !taken.has(file) && !tree.leftOut.has(file));
}

/**
 * @param reached files that are loaded
 * @param files some that the manifest takes
 * @returns those of them that nothing imports, not even for its types
 */
export function deadFiles(
  tree: ManifestTree,
  reached: readonly string[],
  files: readonly string[],
): readonly string[] {
  const imported = new Set(reached);
  for (const file of imported) // which grows meanwhile
    for (const specifier of importsOf(file))
      if (/^\..*\.js$/.test(specifier))
        imported.add(path.join(path.dirname(file), specifier.replace(/\.js$/, ".ts")));
  const taken = new Set(tree.modules.values());
  return files.filter((file) => taken.has(file) && !imported.has(file));
}

const KIB = 1024;

/** Figures that the simulator's machine has in C, as a manifest names them. */
const FIGURES: Readonly<Record<string, RegExp>> = Object.freeze({
  static: /\bBOARD_ARENA_KIB = (\d+)/,
  "chunk.initial": /\.initialChunkSize = ([^,]*),/,
  "heap.initial": /\.initialHeapCount = ([^,]*),/,
  stack: /\.stackCount = ([^,]*),/,
  "keys.initial": /\.initialKeyCount = ([^,]*),/,
  "keys.name": /\bNAME_MODULO = (\d+)/,
  "keys.symbol": /\bSYMBOL_MODULO = (\d+)/,
  "parser.buffer": /\.parserBufferSize = ([^,]*),/,
  "parser.table": /\.parserTableModulo = ([^,]*),/,
});

/**
 * @param text the simulator's C
 * @returns the figures that a board has, where slots have 16 bytes and SCALE is 1
 */
export function creationFigures(text: string): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(FIGURES).map(([name, pattern]) => {
      const figure = product(pattern.exec(text)?.[1] ?? "");
      return [name, name === "static" ? figure * KIB : figure]; // the one that C has in KiB
    }),
  );
}

/** Of what C multiplies; NaN where it does something else. */
function product(expression: string): number {
  return expression.split("*").reduce((value, factor) => value * figure(factor.trim()), 1);
}

const figure = (text: string) => (text === "SCALE" ? 1 : /^\d+$/.test(text) ? Number(text) : Number.NaN);
