/**
 * The names that the board's C looks up by itself, as a table for the root's maker (maker/root-strip.h).
 *
 * Built-ins are functions of C that the program, or other C, calls by name. So a built-in is on the board if its name is
 * mentioned, and what it mentions then counts, too. What only makes the built-ins mentions all of them, and does not count.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type ObjectGraph, readObjects, type Section } from "./object-graph.js";

/** Of the machine that is not a clone. */
const MAKING = /^(?:fxBuild\w+|fxCreateMachine)$/;

/** A function of the engine, which ends with a brace at the start of a line. */
const FUNCTION = /^(?!typedef\b|struct\b|enum\b|union\b)\w[\w \t*]*?\b(\w+)\s*\([^;{}]*\)\s*\{[\s\S]*?^\}/gm;
const IDENTIFIER = /\b\w+\b/g;
const STRING = /"(\w+)"/g;
const NAME_BY_TEXT = /\bfxID\(the, "(\w+)"\)/g;
const MACRO = /^#define (mx\w+)\b(?:\([^)]*\))? (.*)$/gm;

/** In what makes the built-ins: a function, and the name that it is given in the same line. */
const CALLBACK = /\bmxCallback\((\w+)\)/g;
const GIVEN_NAME = /\bmxID\((_\w+)\)/g;

/** Section of a function, and of a part of it that the compiler has made another one. */
const CODE_SECTION = /^\.text\.(?:unlikely\.|startup\.)?(\w+?)(?:\.(?:constprop|part|isra|cold)(?:\.\d+)?)*$/;

/** The numbers of names: `_name`, in the order of the header. */
const NAME_NUMBERS = /^\t(_\w+)(?: = \w+)?,?$/gm;

/** A name in compiled modules: of a property or variable, or text that may be one. */
const COMPILED_NAME = /[A-Za-z_$][\w$]*(?=\0)/g;

/** Text of names, not their use. */
const TABLES_OF_NAMES = Object.freeze(["xsCommon.c", "xsDefaults.c"]);

export interface BoardCode {
  /** Folder of XS's sources. */
  readonly folder: string;
  /** C files of the engine, and the board's part of it. */
  readonly engine: readonly string[];
  /** The other C files. */
  readonly hosts: readonly string[];
  readonly engineObjects: readonly string[];
  readonly hostObjects: readonly string[];
  /** Compiled modules. */
  readonly modules: readonly Uint8Array[];
}

/** @returns C */
export async function mentionedNames(code: BoardCode): Promise<string> {
  const [header, common, hosts] = await Promise.all([
    readFile(path.join(code.folder, "xsAll.h"), "utf8"),
    readFile(path.join(code.folder, "xsCommon.h"), "utf8"),
    textsOf(code.hosts),
  ]);
  const sources = await Promise.all(
    code.engine.map(async (file) => ({ file: path.basename(file), text: await readFile(file, "utf8") })),
  );
  const strings = [
    ...matches(hosts, STRING),
    ...sources.flatMap(({ file, text }) =>
      TABLES_OF_NAMES.includes(file) ? [] : matches(text, NAME_BY_TEXT),
    ),
  ];
  const program = code.modules.flatMap((bytes) =>
    matches(Buffer.from(bytes).toString("latin1"), COMPILED_NAME),
  );
  const mentioned = new EngineNames(sources, macrosOf(header)).reached(
    await readObjects([...code.engineObjects, ...code.hostObjects]),
    code.hostObjects,
    [...strings, ...program].map((name) => `_${name}`),
  );
  const numbers = new Set(matches(common, NAME_NUMBERS));
  return [
    '#include "root-strip.h"',
    "const txID engineNames[] = {",
    ...[...mentioned]
      .filter((name) => numbers.has(name))
      .sort()
      .map((name) => `\t${name},`),
    "\tXS_NO_ID,",
    "};",
    "const char *const hostNames[] = {",
    ...[...new Set(strings)].sort().map((name) => `\t"${name}",`),
    "\tC_NULL,",
    "};",
    "",
  ].join("\n");
}

interface Source {
  /** Without its folder. */
  readonly file: string;
  readonly text: string;
}

type Macros = ReadonlyMap<string, string>;

/** What the functions of the engine mention, and the built-ins. */
export class EngineNames {
  readonly #macros: Macros;
  /** By file, without its ending, and function. */
  readonly #functions = new Map<string, Map<string, string>>();
  /** Outside of functions. */
  #constants = "";
  readonly #builtIns: BuiltIn[] = [];

  constructor(sources: readonly Source[], macros: Macros) {
    this.#macros = macros;
    for (const { file, text } of sources) if (!TABLES_OF_NAMES.includes(file)) this.#add(file, text);
  }

  #add(file: string, text: string): void {
    const functions = new Map<string, string>();
    for (const [body, name = ""] of text.matchAll(FUNCTION))
      if (MAKING.test(name)) this.#builtIns.push(...builtInsOf(body));
      else functions.set(name, `${functions.get(name) ?? ""}${body}\n`);
    this.#functions.set(path.basename(file, ".c"), functions);
    this.#constants += `${text.replaceAll(FUNCTION, "")}\n`;
  }

  /**
   * @param hostObjects the objects that are on the board as a whole
   * @param known names that something else mentions
   * @returns names that the engine's C on the board mentions
   */
  reached(
    { objects, symbols }: ObjectGraph,
    hostObjects: readonly string[],
    known: readonly string[],
  ): Set<string> {
    const names = mentionsOf(this.#constants, this.#macros);
    const isKnown = new Set(known);
    const reached = new Set<Section>();
    const reach = (section: Section | undefined): void => {
      if (!section || reached.has(section)) return;
      reached.add(section);
      const [, name] = CODE_SECTION.exec(section.name) ?? [];
      if (name !== undefined && MAKING.test(name)) return;
      if (name !== undefined) this.#addMentions(section.object, name, names);
      section.needs.forEach(reach);
    };
    for (const object of hostObjects) objects.get(object)?.forEach(reach);
    for (let before = -1; before !== reached.size; ) {
      before = reached.size;
      for (const { callback, given } of this.#builtIns)
        if (given.length === 0 || given.some((name) => names.has(name) || isKnown.has(name)))
          reach(symbols.get(callback));
    }
    return names;
  }

  /** A function that is not found in its file is taken to mention what all of them do. */
  #addMentions(object: string, name: string, names: Set<string>): void {
    const functions = this.#functions.get(path.basename(object, ".o"));
    if (!functions) return;
    const text = functions.get(name) ?? [...functions.values()].join("\n");
    for (const mentioned of mentionsOf(text, this.#macros)) names.add(mentioned);
  }
}

interface BuiltIn {
  readonly callback: string;
  /** None for a function that is not a property. */
  readonly given: readonly string[];
}

function builtInsOf(body: string): BuiltIn[] {
  return body.split("\n").flatMap((line) => {
    const given = matches(line, GIVEN_NAME);
    return matches(line, CALLBACK).map((callback) => ({ callback, given }));
  });
}

/** Names in `text`, and in the macros that it uses. */
export function mentionsOf(text: string, macros: Macros): Set<string> {
  const seen = new Set<string>();
  const add = (part: string) => {
    for (const [identifier] of part.matchAll(IDENTIFIER)) {
      if (seen.has(identifier)) continue;
      seen.add(identifier);
      add(macros.get(identifier) ?? "");
    }
  };
  add(text);
  return new Set([...seen].filter((identifier) => identifier.startsWith("_")));
}

function macrosOf(header: string): Macros {
  return new Map([...header.matchAll(MACRO)].map(([, name = "", body = ""]) => [name, body]));
}

/** First groups, or whole matches where a pattern has none. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole);
}

async function textsOf(files: readonly string[]): Promise<string> {
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
}
