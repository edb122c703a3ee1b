/**
 * Host functions that another board has and this one lacks, as functions that do nothing: the root of that board is made
 * here (../build.ts), where modules name them and nothing calls them.
 */
import type { Module } from "../../../tools/generate-tables.js";

/** A host function, and the function that destroys instances of a class. */
const NATIVE = /\b[nN]ative\("(xs_\w+)"\)/g;
const DEFINITION = /^void (xs_\w+)\(/gm;

/**
 * @param modules of the other board
 * @param sources texts of C files of this board
 * @returns C
 */
export function standInsFor(modules: readonly Module[], sources: readonly string[]): string {
  const defined = new Set(sources.flatMap((text) => namesIn(text, DEFINITION)));
  const named = new Set(modules.flatMap(({ bytes }) => namesIn(Buffer.from(bytes).toString(), NATIVE)));
  const missing = [...named].filter((name) => !defined.has(name)).sort();
  return ['#include "machine.h"', ...missing.map(standIn), ""].join("\n");
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

function standIn(name: string): string {
  return name.endsWith("_destructor")
    ? `void ${name}(void *data)\n{\n\t(void)data;\n}`
    : `void ${name}(xsMachine *the)\n{\n\t(void)the;\n}`;
}
