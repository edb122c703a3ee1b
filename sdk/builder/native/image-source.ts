/**
 * An app's module as the C of its native image: what `wasm2c` of wabt writes, with calls and accesses to memory that a
 * console can bound and interrupt (`sdk/native/image.h`). `wasm2c` is run as a program.
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { ABI } from "../../../device/wasm/abi.js";
import type { ModuleFacts } from "../../../device/wasm/module-facts.js";
import { functionBodies, importedNames } from "../../../protocol/module-file.js";
import { CompileError } from "../../sdk-error.js";
import { type ProgramFailure, saidBy } from "./program-failure.js";

const run = promisify(execFile);

/** The program's name in the C: `w2c_app_f12` is function 12. */
const NAME = "app";

/** Name of the C function of a function of the module, by its index; a compiler's copy has an ending, such as `.constprop.0`. */
export const FUNCTION_PATTERN = /^w2c_app_f(\d+)(?:[.$]|$)/;

/** The package's programs lie beside its library, and need not be named in `node_modules/.bin`. */
function wasm2c(): string {
  return path.join(path.dirname(createRequire(import.meta.url).resolve("wabt/package.json")), "bin/wasm2c");
}

/**
 * @param module prepared, without exports and names
 * @param directory for what `wasm2c` writes
 * @param runner what the image does when it runs; default: it calls the entry
 * @returns the C of the app, to be compiled beside `sdk/native/image.c`
 * @throws {CompileError} if `wasm2c` fails, such as for want of memory; an `Error` if it writes C of another form
 */
export async function imageSource(
  module: Uint8Array,
  facts: ModuleFacts,
  directory: string,
  runner: ImageRunner = entryRunner,
): Promise<string> {
  const file = path.join(directory, "module.wasm");
  const output = path.join(directory, "module.c");
  await writeFile(file, module);
  await translate(file, output);
  const headerFile = path.join(directory, "module.h");
  const [header, source] = await Promise.all([readFile(headerFile, "utf8"), readFile(output, "utf8")]);
  const imported = importsIn(header);
  if (!isWhole(source, module)) throw new Error("Cannot keep the module as C: No space left on device");
  await writeFile(headerFile, withoutImports(header));
  return [
    memoryMacros(header, facts),
    withChecks(source, importDeclarations(imported)),
    importDefinitions(imported),
    runner(facts, takesImports(source), imported, importedNames(module)),
  ].join("\n");
}

async function translate(file: string, output: string): Promise<void> {
  const args = [wasm2c(), file, "-n", NAME, "--no-debug-names", "-o", output];
  try {
    await run(process.execPath, args);
  } catch (error) {
    throw new CompileError("the module to C", saidBy("wasm2c", error as ProgramFailure));
  }
}

/**
 * Whether this is all of the C: `wasm2c` does not tell that a disk is full, and ends well. Functions are last, in their order.
 * @param module prepared
 */
export function isWhole(source: string, module: Uint8Array): boolean {
  const own = functionBodies(module).bodies.length;
  const last = importedNames(module).length + own - 1;
  return source.endsWith("\n}\n") && (own === 0 || source.includes(` w2c_app_f${last}(w2c_app* instance`));
}

/** Which field is the memory, and how long it is, where that never changes. */
function memoryMacros(header: string, { memory }: ModuleFacts): string {
  const field = /^ {2}wasm_rt_memory_t (w2c_\w+);$/m.exec(header)?.[1];
  if (!memory || !field) return "";
  const isFixed = memory.initialPages === memory.preparedMaximumPages && memory.initialPages > 0;
  const length = isFixed ? `#define IMAGE_MEMORY_BYTES ${memory.initialPages * 65_536}u\n` : "";
  return `#define IMAGE_MEMORY ${field}\n${length}`;
}

const FUNCTION = /^(?:static )?(?:\S+|struct \S+) w2c_app_f\d+\(w2c_app\* instance[^;]*?\) \{\n.*?^\}$/gms;
const PROLOGUE = /^ {2}FUNC_PROLOGUE;$/m;
const LABEL = /^ *(var_\w+): ?;?$/;
const JUMP = /\bgoto (\w+);/g;
const CALL = /\b(?:w2c_app_f\d+\(instance|w2c_svc_\w+\(instance|CALL_INDIRECT\(|wasm_rt_grow_memory\().*;$/;
const ACCESS = /_default32\(&instance->\w+, \(u64\)\((\w+)\)(?: \+ (\d+)u?)?/g;
const UNCHECKED_ACCESS = /_default32\(|\b[if](?:32|64)_(?:load|store)\w*(?<!_at)\(/;

/** Lines of a loop's body that weigh as much as a turn of the shortest one. */
const LINES_A_TURN = 16;
/** A look in each turn. */
const WEIGHT_LIMIT = 256;

/**
 * Puts the checks of `sdk/native/image.h` into each function.
 * @throws {Error} for C of another form, which would run without being checked
 */
function withChecks(source: string, declarations: string): string {
  const start = source.search(/^(?:static \S+ w2c_app_|FUNC_TYPE_T\(|static void init_)/m);
  if (start < 0) throw unknownForm("no function was found");
  const body = source
    .slice(start)
    .replace(FUNCTION, checkedFunction)
    .replace(/^wasm_rt_func_type_t wasm2c_app_get_func_type\(.*?^\}\n/ms, "");
  const functions = body.match(/\bw2c_app_f\d+\(w2c_app\* instance[^;]*?\) \{$/gm)?.length ?? 0;
  if (UNCHECKED_ACCESS.test(body)) throw unknownForm("an access to memory is not checked");
  if ((body.match(/^ {2}FUNC_PROLOGUE;/gm)?.length ?? 0) !== functions)
    throw unknownForm("a function does not check its stack");
  return `${source.slice(0, start)}\n#include "image.h"\n${declarations}\n${body}`;
}

function checkedFunction(text: string): string {
  if (!PROLOGUE.test(text)) throw unknownForm("a function has no prologue");
  const lines = text.split("\n");
  const places = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    const label = LABEL.exec(line)?.[1];
    if (label !== undefined) places.set(label, at);
  }
  const loops = new Map<number, number>(); // last jump back, by the line of the label
  for (const [at, line] of lines.entries())
    for (const [, label = ""] of line.matchAll(JUMP)) {
      const place = places.get(label);
      if (place === undefined) throw unknownForm(`"${label}" is not there`);
      if (place <= at) loops.set(place, at);
    }
  return lines
    .map((line, at) => {
      const end = loops.get(at);
      if (end !== undefined) return `${line} LOOP(${weightOf(end - at)});`;
      return CALL.test(line) ? `${line} MEMORY_CHANGED;` : line;
    })
    .join("\n")
    .replace(ACCESS, (_all, base, offset = 0) => `_at(memory, MEMORY_LENGTH, ${base}, ${offset}u`);
}

function weightOf(lines: number): number {
  return Math.min(WEIGHT_LIMIT, 1 + Math.floor(lines / LINES_A_TURN));
}

function unknownForm(reason: string): Error {
  return new Error(`Cannot check what this version of wasm2c writes: ${reason}`);
}

/** A function of the ABI as the app imports it. */
interface ImportedFunction {
  readonly name: string;
  readonly symbol: string;
  /** As C declares it; an app may import a function without its result. */
  readonly result: "u32" | "u64";
  readonly parameters: readonly string[];
}

const IMPORT =
  /^\/\* import: 'svc' '(\w+)' \*\/\n(?:void|u32|u64) (w2c_svc_\w+)\(struct w2c_svc\*((?:, u32)*)\);\n/gm;

/** By their names: each once, however often the app imports it. */
function importsIn(header: string): readonly ImportedFunction[] {
  return [...header.matchAll(IMPORT)].map(([, name = "", symbol = "", types = ""]) => ({
    name,
    symbol,
    result: ABI.find((candidate) => candidate.name === name)?.result === "i64" ? "u64" : "u32",
    parameters: types
      .split(",")
      .slice(1)
      .map((_type, at) => `p${at}`),
  }));
}

/** An app may import a function twice, with its result and without; C knows one. */
function withoutImports(header: string): string {
  return header.replace(IMPORT, "");
}

function declarationOf({ symbol, result, parameters }: ImportedFunction): string {
  return `static ${result} ${symbol}(struct w2c_svc *svc${parameters.map((name) => `, u32 ${name}`).join("")})`;
}

function importDeclarations(imported: readonly ImportedFunction[]): string {
  return [...new Set(imported.map((one) => `${declarationOf(one)};`))].join("\n");
}

/** The functions, and a table of their names, which the image looks up when it starts. */
function importDefinitions(imported: readonly ImportedFunction[]): string {
  const names = [...new Set(imported.map(({ name }) => name))];
  const definitions = imported.map((one) => {
    const given = one.parameters.map((name) => `(s32)${name}`).join(", ") || "0";
    const call = `image_call(imageFunctions[${names.indexOf(one.name)}], (const s32[NATIVE_PARAMETERS]){ ${given} })`;
    return `${declarationOf(one)} { return (${one.result})${call}; }`;
  });
  return [
    `const char *const imageImports[] = { ${names.map((name) => `"${name}", `).join("")}0 };`,
    `u32 imageFunctions[${names.length + 1}];`,
    `const u32 imageImportCount = ${names.length};`,
    ...new Set(definitions),
  ].join("\n");
}

/** Writes the C function `image_app_run`; `importNames` are those of the imported functions, by their indexes. */
export type ImageRunner = (
  facts: ModuleFacts,
  takesImports: boolean,
  imported: readonly ImportedFunction[],
  importNames: readonly string[],
) => string;

function takesImports(source: string): boolean {
  return /^void wasm2c_app_instantiate\(w2c_app\* instance, /m.test(source);
}

/** The entry may be an imported function that is exported again. */
function entryRunner(
  { entry }: ModuleFacts,
  hasImports: boolean,
  imported: readonly ImportedFunction[],
  importNames: readonly string[],
): string {
  if (!entry) throw new Error("Cannot make an image of a module without an entry");
  const name = importNames[entry.functionIndex];
  const symbol = imported.find((candidate) => candidate.name === name)?.symbol;
  const given = entry.takesArguments ? ", 0, 0" : "";
  const call = symbol ? `${symbol}(0${given})` : `w2c_app_f${entry.functionIndex}(&app${given})`;
  return `
s32 image_app_run(void)
{
	static w2c_app app;
	wasm2c_app_instantiate(&app${hasImports ? ", 0" : ""});
	${entry.givesResult ? `return (s32)${call};` : `${call};\n\treturn 0;`}
}
`;
}
