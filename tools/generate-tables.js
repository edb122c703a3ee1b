/**
 * The tables that tie JavaScript and C together: host functions and destructors by name, found in the C
 * files by how they are defined; the platform's modules by specifier, as text; and the build options that
 * are integers.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { loadTypeScript } from "./load-typescript.js";

/**
 * @param {readonly string[]} modules directories with the classes over that C
 * @param {readonly string[]} natives directories with C files
 * @param {string} output directory for the generated C
 * @returns {Promise<string[]>} the generated files; one that would not change is not written
 */
export async function generateTables(modules, natives, output) {
  const generated = path.join(output, "generated");
  await mkdir(generated, { recursive: true });
  return Promise.all([
    writeIfChanged(
      path.join(generated, "native-table.c"),
      await nativeTable((await Promise.all(natives.map(sourcesIn))).flat()),
    ),
    writeIfChanged(path.join(generated, "module-table.c"), moduleTable(await modulesOf(modules))),
    writeIfChanged(path.join(generated, "option-table.c"), await optionTable()),
  ]);
}

/**
 * Of the host functions and destructors that are defined there, in C.
 *
 * @param {readonly string[]} sources C files
 * @returns {Promise<string>}
 */
export async function nativeTable(sources) {
  const text = (await Promise.all(sources.map((source) => readFile(source, "utf8")))).join("\n");
  const functions = matches(text, /^void (xs_\w+)\(xsMachine \*the\)$/gm);
  const destructors = matches(text, /^void (xs_\w+_destructor)\(void \*\w+\)$/gm);
  return [
    '#include "natives.h"',
    ...functions.map((name) => `extern void ${name}(xsMachine *the);`),
    ...destructors.map((name) => `extern void ${name}(void *data);`),
    ...destructors.map(
      (name) => `static void construct_${name}(xsMachine *the)\n{\n\tnative_construct(the, ${name});\n}`,
    ),
    ...table("Functions", "Function", functions, (name) => name),
    ...table("Constructors", "Constructor", destructors, (name) => `construct_${name}`),
    "",
  ].join("\n");
}

/** @param {string} directory */
async function sourcesIn(directory) {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".c")).sort();
  return names.map((name) => path.join(directory, name));
}

/** @param {string} plural @param {string} singular @param {string[]} names @param {(name: string) => string} callbackOf */
function table(plural, singular, names, callbackOf) {
  return [
    `const NativeEntry native${plural}[] = {`,
    ...names.map((name) => `\t{ "${name}", ${callbackOf(name)} },`),
    "\t{ 0 },",
    "};",
    `const uint32_t native${singular}Count = ${names.length};`,
  ];
}

/** @param {string} text @param {RegExp} pattern @returns in the order that C's strcmp has */
function matches(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "").sort();
}

/**
 * Host modules, each as the engine is to have it.
 *
 * @param {readonly string[]} directories
 * @returns {Promise<Module[]>} of text
 */
export async function modulesOf(directories) {
  const found = await Promise.all(directories.map(modulesIn));
  return Promise.all(
    found.flat().map(async ({ directory, name }) => ({
      specifier: specifierOf(name),
      bytes: Buffer.from(hoistNatives(await readFile(path.join(directory, name), "utf8"))),
    })),
  );
}

/** @typedef {{ specifier: string, bytes: Uint8Array }} Module */

/** In C. @param {readonly Module[]} modules @returns {string} */
export function moduleTable(modules) {
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

/** @param {string} directory */
async function modulesIn(directory) {
  const names = await readdir(directory, { recursive: true });
  return names
    .filter((name) => name.endsWith(".js"))
    .sort()
    .map((name) => ({ directory, name }));
}

/** Of the build options that are integers, in C. @returns {Promise<string>} */
export async function optionTable() {
  /** @type {typeof import("../device/services/config/options.ts")} */
  const { OPTIONS } = await loadTypeScript(["device/services/config/options.ts"]);
  const rows = Object.entries(OPTIONS).map(([name, option]) =>
    option.type === "integer"
      ? `\t{ "${name}", ${option.default}, ${option.minimum}, ${option.maximum} },\n`
      : "",
  );
  return `#include "config-options.h"\nconst IntegerOption integerOptions[] = {\n${rows.join("")}\t{ 0 },\n};\n`;
}

/** `embedded/io/socket/tcp.js` is `embedded:io/socket/tcp`. @param {string} name */
function specifierOf(name) {
  return name.replace(/\.js$/, "").replace(/^embedded\//, "embedded:");
}

/** @param {string} name */
function identifierOf(name) {
  return name.replace(/\W/g, "_");
}

/**
 * Looks each host function up once, at module scope, instead of in each call; lines keep their numbers.
 *
 * @param {string} source
 */
function hoistNatives(source) {
  const names = new Set(matches(source, /\bnative\("(\w+)"\)/g));
  const prelude = [...names].map((name) => `const $${name} = native("${name}");`).join(" ");
  return `${prelude} ${source.replace(/\bnative\("(\w+)"\)/g, "$$$1")}`;
}

/** @param {string} file @param {string} text @returns {Promise<string>} `file` */
export async function writeIfChanged(file, text) {
  const old = await readFile(file, "utf8").catch(() => undefined);
  if (old !== text) await writeFile(file, text);
  return file;
}
