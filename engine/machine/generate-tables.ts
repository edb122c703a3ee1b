/**
 * Generates the C tables that connect JavaScript and C: host functions and destructors by name, found by their
 * definitions in the C files; the platform's modules as text, by specifier; and the integer build options.
 */
import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { transform } from "esbuild";
import { OPTIONS } from "../../device/services/config/options.js";
import { writeIfChanged } from "../../tools/files.js";
import { nativeSources } from "../../tools/native-sources.js";

/**
 * @param modules directories with the JavaScript classes over the C functions
 * @param natives directories with C files
 * @param output directory for the generated C
 * @returns the generated files; unchanged files are not rewritten
 */
export async function generateTables(
  modules: readonly string[],
  natives: readonly string[],
  output: string,
): Promise<string[]> {
  const generated = path.join(output, "generated");
  await mkdir(generated, { recursive: true });
  return Promise.all([
    writeIfChanged(
      path.join(generated, "native-table.c"),
      await nativeTable((await Promise.all(natives.map(nativeSources))).flat()),
    ),
    writeIfChanged(path.join(generated, "module-table.c"), moduleTable(await modulesOf(modules))),
    writeIfChanged(path.join(generated, "option-table.c"), await optionTable()),
  ]);
}

/**
 * @param sources C files
 * @returns C: the table of the host functions and destructors that they define
 */
export async function nativeTable(sources: readonly string[]): Promise<string> {
  const text = (await Promise.all(sources.map((source) => readFile(source, "utf8")))).join("\n");
  const functions = matches(text, /^void (xs_\w+)\(xsMachine \*the\)$/gm);
  const destructors = matches(text, /^void (xs_\w+_destructor)\(void \*\w+\)$/gm);
  return [
    '#include "natives.h"',
    ...functions.map((name) => `extern void ${name}(xsMachine *the);`),
    ...destructors.map((name) => `extern void ${name}(void *data);`),
    ...destructors.map(
      (name) => `void construct_${name}(xsMachine *the)\n{\n\tnative_construct(the, ${name});\n}`,
    ),
    ...table("Functions", "Function", functions, (name) => name),
    ...table("Constructors", "Constructor", destructors, (name) => `construct_${name}`),
    "",
  ].join("\n");
}

function table(
  plural: string,
  singular: string,
  names: string[],
  callbackOf: (name: string) => string,
): string[] {
  return [
    `const NativeEntry native${plural}[] = {`,
    ...names.map((name) => `\t{ "${name}", ${callbackOf(name)} },`),
    "\t{ 0 },",
    "};",
    `const uint32_t native${singular}Count = ${names.length};`,
  ];
}

/** @returns sorted like C's strcmp */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "").sort();
}

/**
 * Reads host modules, prepared for the engine; types are erased.
 * @param directories with JavaScript and TypeScript; declaration files are skipped
 * @returns their texts
 */
export async function modulesOf(directories: readonly string[]): Promise<Module[]> {
  const found = await Promise.all(directories.map(modulesIn));
  return Promise.all(
    found.flat().map(async ({ directory, name }) => ({
      specifier: specifierOf(name),
      bytes: Buffer.from(hoistNatives(await javaScriptOf(path.join(directory, name)))),
    })),
  );
}

async function javaScriptOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8");
  if (!file.endsWith(".ts")) return text;
  return (await transform(text, { loader: "ts", target: "es2022", charset: "utf8" })).code;
}

export type Module = { specifier: string; bytes: Uint8Array };

/** @returns C: the table of the modules */
export function moduleTable(modules: readonly Module[]): string {
  const entries = modules.map(({ specifier, bytes }) => {
    const source = `static const char source_${identifierOf(specifier)}[] = {${[...bytes, 0].join(",")}};`;
    const entry = `\t{ "${specifier}", source_${identifierOf(specifier)}, ${bytes.length} },`;
    return { source, entry };
  });
  return [
    '#include "natives.h"',
    ...entries.map(({ source }) => source),
    "const ModuleEntry nativeModules[] = {",
    ...entries.map(({ entry }) => entry),
    "\t{ 0 },",
    "};",
    `const uint32_t nativeModuleCount = ${entries.length};`,
    "",
  ].join("\n");
}

async function modulesIn(directory: string) {
  const names = await readdir(directory, { recursive: true });
  return names
    .filter((name) => /\.[jt]s$/.test(name) && !name.endsWith(".d.ts"))
    .sort()
    .map((name) => ({ directory, name }));
}

/** @returns C: the table of the integer build options */
export async function optionTable(): Promise<string> {
  const rows = Object.entries(OPTIONS).map(([name, option]) =>
    option.type === "integer"
      ? `\t{ "${name}", ${option.default}, ${option.minimum}, ${option.maximum} },\n`
      : "",
  );
  return `#include "config-options.h"\nconst IntegerOption integerOptions[] = {\n${rows.join("")}\t{ 0 },\n};\n`;
}

/** `embedded/io/socket/tcp.js` becomes `embedded:io/socket/tcp`. */
function specifierOf(name: string): string {
  return name.replace(/\.[jt]s$/, "").replace(/^embedded\//, "embedded:");
}

function identifierOf(name: string): string {
  return name.replace(/\W/g, "_");
}

/** Looks up each host function once, at module scope, instead of in each call; line numbers stay the same. */
function hoistNatives(source: string): string {
  const names = new Set(matches(source, /\bnative\("(\w+)"\)/g));
  const prelude = [...names].map((name) => `const $${name} = native("${name}");`).join(" ");
  return `${prelude} ${source.replace(/\bnative\("(\w+)"\)/g, "$$$1")}`;
}
