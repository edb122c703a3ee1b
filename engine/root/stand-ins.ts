/**
 * The host functions that modules name, as functions that do nothing: the maker of a board's root has them in place of the
 * board's (make-root.ts), and calls none.
 */
import type { Module } from "../machine/generate-tables.js";

/** A host function, and the function that destroys instances of a class. */
const NATIVE = /\b[nN]ative\("(xs_\w+)"\)/g;

/** Of the engine's own: the global that writes to the debug console. */
const TRACE = "xs_trace";

/** @returns C */
export function standInsFor(modules: readonly Module[]): string {
  const texts = modules.map(({ bytes }) => Buffer.from(bytes).toString());
  const named = texts.flatMap((text) => [...text.matchAll(NATIVE)].map(([, name = ""]) => name));
  return ['#include "machine.h"', ...[...new Set([TRACE, ...named])].sort().map(standIn), ""].join("\n");
}

function standIn(name: string): string {
  return name.endsWith("_destructor")
    ? `void ${name}(void *data)\n{\n\t(void)data;\n}`
    : `void ${name}(xsMachine *the)\n{\n\t(void)the;\n}`;
}
