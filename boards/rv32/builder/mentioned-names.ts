/**
 * The names that C looks up by itself, as a table for the root's maker (../native/maker/root-strip.h). Every mention in
 * the engine's text counts, except in the functions that only make the built-ins; in the hosts, every string.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";

/** Of the machine that is not a clone: they mention every built-in. */
const MAKING = /^(?:void fxBuild\w+|txMachine\* fxCreateMachine)\([^;{]*\)\s*\{[\s\S]*?^\}/gm;
const IDENTIFIER = /\b\w+\b/g;
const STRING = /"(\w+)"/g;
const NAME_BY_TEXT = /\bfxID\(the, "(\w+)"\)/g;
const MACRO = /^#define (mx\w+)\b(?:\([^)]*\))? (.*)$/gm;

/** The numbers of names: `_name`, in the order of the header. */
const NAME_NUMBERS = /^\t(_\w+)(?: = \w+)?,?$/gm;

/** Text of names, not their use. */
const TABLES_OF_NAMES = Object.freeze(["xsCommon.c", "xsDefaults.c"]);

/**
 * @param folder of XS's sources
 * @param engine C files of the engine, and the board's part of it
 * @param hosts C files
 * @returns C
 */
export async function mentionedNames(folder: string, engine: string[], hosts: string[]): Promise<string> {
  const header = await readFile(path.join(folder, "xsAll.h"), "utf8");
  const numbers = new Set(
    [...(await readFile(path.join(folder, "xsCommon.h"), "utf8")).matchAll(NAME_NUMBERS)].map(
      ([, name = ""]) => name,
    ),
  );
  const sources = engine.filter((file) => !TABLES_OF_NAMES.includes(path.basename(file)));
  const text = await textsOf(sources);
  const mentioned = engineMentions(text, macrosOf(header)).filter((name) => numbers.has(name));
  const strings = [...(await textsOf(hosts)).matchAll(STRING), ...text.matchAll(NAME_BY_TEXT)].map(
    ([, name = ""]) => name,
  );
  return [
    '#include "root-strip.h"',
    "const txID engineNames[] = {",
    ...mentioned.sort().map((name) => `\t${name},`),
    "\tXS_NO_ID,",
    "};",
    "const char *const hostNames[] = {",
    ...[...new Set(strings)].sort().map((name) => `\t"${name}",`),
    "\tC_NULL,",
    "};",
    "",
  ].join("\n");
}

/** Identifiers in `text`, and in the macros that it uses. */
export function engineMentions(text: string, macros: ReadonlyMap<string, string>): string[] {
  const mentioned = new Set<string>();
  const add = (part: string) => {
    for (const [identifier] of part.matchAll(IDENTIFIER)) {
      if (mentioned.has(identifier)) continue;
      mentioned.add(identifier);
      add(macros.get(identifier) ?? "");
    }
  };
  add(text.replaceAll(MAKING, ""));
  return [...mentioned];
}

function macrosOf(header: string): Map<string, string> {
  return new Map([...header.matchAll(MACRO)].map(([, name = "", body = ""]) => [name, body]));
}

async function textsOf(files: string[]): Promise<string> {
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
}
