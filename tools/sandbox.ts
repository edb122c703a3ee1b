/**
 * Compiles the programs of `device/sandbox` (docs/adr/0030-the-sandbox.md): AssemblyScript to WebAssembly, which is
 * checked, and WebAssembly to C. Up-to-date files are left alone.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Sandbox } from "../protocol/ports/sandbox.js";
import { programMemoryBytes, WasmSandbox } from "../protocol/wasm-program.js";
import { loadAsc } from "./asc.js";
import { writeIfChanged } from "./files.js";
import { withLock } from "./lock.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..");
const sources = path.join(root, "device/sandbox");
const output = path.join(root, "build/sandbox");

/** The programs: the folders with a `program.ts`. */
export const SANDBOX_PROGRAMS: readonly string[] = Object.freeze(
  readdirSync(sources, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(sources, entry.name, "program.ts")))
    .map(({ name }) => name)
    .sort(),
);

/** Two pages are more than any program needs; a console gives it only `memoryBytes()`. */
const ASC_FLAGS = Object.freeze(
  [
    ["--runtime", "stub"],
    ["--optimizeLevel", "3", "--shrinkLevel", "1"],
    ["--memoryBase", "0"],
    ["--initialMemory", "2"],
    ["--maximumMemory", "2"],
    "--noAssert",
  ].flat(),
);

/** A program that breaks a rule of the sandbox, or does not compile. */
export class SandboxError extends Error {}

/** @returns path of the program as WebAssembly */
export async function buildProgram(name: string): Promise<string> {
  const file = path.join(output, `${name}.wasm`);
  return withLock(path.join(output, name), async () => {
    const stamp = stampOf(name);
    const old = await readFile(`${file}.stamp`, "utf8").catch(() => "");
    if (old === stamp && existsSync(file)) return file;
    const module = await compile(name);
    await writeFile(`${file}.new`, module);
    requireSandboxed(name, await textOf(`${file}.new`));
    await rename(`${file}.new`, file);
    await writeFile(`${file}.stamp`, stamp);
    return file;
  });
}

/** Digest of all that a program is made of. */
function stampOf(name: string): string {
  const hash = createHash("sha256").update(ASC_FLAGS.join(" "));
  const files = [
    import.meta.filename,
    ...readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => path.join(sources, file)),
    path.join(root, "node_modules/assemblyscript/package.json"),
  ];
  for (const file of files.sort()) hash.update(path.relative(root, file)).update(readFileSync(file));
  return `${name} ${hash.digest("hex")}`;
}

async function compile(name: string): Promise<Uint8Array> {
  let module: Uint8Array | undefined;
  const host = {
    readFile: (file: string, base: string) => sourceOf(path.resolve(base, file)),
    listFiles: () => [],
    writeFile(_name: string, contents: string | Uint8Array) {
      if (typeof contents !== "string") module = contents;
    },
  };
  const flags = [`${name}/program.ts`, "--baseDir", sources, "--outFile", "program.wasm", ...ASC_FLAGS];
  const asc = await loadAsc();
  const { error, stderr } = await asc.main(flags, host);
  if (error || !module) throw new SandboxError(`${name}: ${stderr.toString() || String(error?.message)}`);
  process.stderr.write(stderr.toString()); // warnings
  return module;
}

/** Imports name the JavaScript that Node runs; the memory has another implementation in WebAssembly. */
function sourceOf(file: string): string | null {
  const source = file.replace(/\.js\.ts$/, ".ts");
  const chosen = source === path.join(sources, "memory.ts") ? path.join(sources, "memory-wasm.ts") : source;
  return existsSync(chosen) ? readFileSync(chosen, "utf8") : null;
}

async function textOf(file: string): Promise<string> {
  return (
    await run(process.execPath, [path.join(root, "node_modules/wabt/bin/wasm2wat"), file], {
      maxBuffer: 2 ** 26,
    })
  ).stdout;
}

/**
 * What WebAssembly itself does not rule out, but C made of it relies on: the stack has a known depth, and nothing is
 * reached but the memory.
 * @throws {SandboxError}
 */
export function requireSandboxed(name: string, wat: string): void {
  const forbidden: readonly (readonly [RegExp, string])[] = [
    [/\(import /, "imports something"],
    [/\bcall_indirect\b|\(table |\(elem /, "calls indirectly"],
    [/\(data /, "has data: fill tables in begin()"],
    [/\bmemory\.grow\b/, "grows its memory"],
    [/\b[if]64\.|\bf32\./, "computes with numbers other than i32"],
    [/\breturn_call|\bcall(?! \d)/, "calls in a way in which recursion is not seen"],
  ];
  for (const [pattern, reason] of forbidden)
    if (pattern.test(wat)) throw new SandboxError(`Cannot sandbox the program "${name}": it ${reason}`);
  requireConstantStart(name, wat);
  requireNoRecursion(name, wat);
}

/**
 * AssemblyScript gives variables their first values in a start function. It runs while the program is opened, where a
 * trap has nowhere to end.
 */
function requireConstantStart(name: string, wat: string): void {
  const index = /\(start (\d+)\)/.exec(wat)?.[1];
  if (index === undefined) return;
  const text = wat.split(/^ {2}\((?:func )?/m).find((part) => part.startsWith(`(;${index};)`));
  if (text && /^.*\n(?: {4}(?:i32\.const|global\.set) -?\d+\)?\n)+$/.test(text)) return;
  throw new SandboxError(
    `Cannot sandbox the program "${name}": its start function does more than set variables to constants`,
  );
}

function requireNoRecursion(name: string, wat: string): void {
  const calls = new Map<string, readonly string[]>();
  for (const text of wat.split(/^ {2}\(func /m).slice(1)) {
    const index = /^\(;(\d+);\)/.exec(text)?.[1] ?? "";
    calls.set(
      index,
      [...text.matchAll(/\bcall (\d+)/g)].map((match) => match[1] as string),
    );
  }
  const finished = new Set<string>();
  const visit = (index: string, callers: readonly string[]): void => {
    if (callers.includes(index))
      throw new SandboxError(`Cannot sandbox the program "${name}": function ${index} can call itself`);
    if (finished.has(index)) return;
    for (const callee of calls.get(index) ?? []) visit(callee, [...callers, index]);
    finished.add(index);
  };
  for (const index of calls.keys()) visit(index, []);
}

// WebAssembly to C. Of what `wasm2c` writes, the program itself is kept; its run-time gives way to ours.

/** Folder of the run-time in C, for include paths. */
export const SANDBOX_NATIVE = path.join(sources, "native");

/**
 * The manifest of that C for the Moddable SDK. `mcconfig` alone does not generate it, and says no more of a manifest that
 * is missing than its name: so the name says what makes it.
 */
const MANIFEST = "made-by-npm-run-sandbox.json";

/** @returns the C files of all programs and of their table */
export async function buildSandboxSources(): Promise<string[]> {
  const generated = path.join(output, "c");
  return withLock(output, async () => {
    await mkdir(generated, { recursive: true });
    const files = [];
    for (const name of SANDBOX_PROGRAMS) files.push(await buildSource(name, generated));
    files.push(await writeIfChanged(path.join(generated, "sandbox-table.c"), tableInC()));
    await writeIfChanged(path.join(output, MANIFEST), `${JSON.stringify({ modules: { "*": "./c/*" } })}\n`);
    return files;
  });
}

async function buildSource(name: string, directory: string): Promise<string> {
  const file = path.join(directory, `sandbox-${name}.c`);
  const stampFile = path.join(output, `${name}.c.stamp`); // not in the folder, all of which a manifest compiles
  const stamp = stampOf(name);
  if (existsSync(file) && (await readFile(stampFile, "utf8").catch(() => "")) === stamp) return file;
  await writeIfChanged(file, await sourceInC(name, await buildProgram(name)));
  await writeFile(stampFile, stamp);
  return file;
}

/** In camel case: `wasm2c` doubles underscores. */
function identifierOf(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

function tableInC(): string {
  const programs = SANDBOX_PROGRAMS.map((name) => `sandbox_${identifierOf(name)}`);
  return [
    '#include "sandbox-program.h"',
    ...programs.map((program) => `extern const SandboxProgram ${program};`),
    `const SandboxProgram *const sandboxPrograms[] = { ${programs.map((program) => `&${program}, `).join("")}0 };`,
    "",
  ].join("\n");
}

async function sourceInC(name: string, wasm: string): Promise<string> {
  const id = identifierOf(name);
  const file = path.join(output, `${name}.c`);
  const wasm2c = path.join(root, "node_modules/wabt/bin/wasm2c");
  await run(process.execPath, [wasm2c, wasm, "-n", id, "--no-debug-names", "-o", file]);
  const [header, source] = await Promise.all([
    readFile(`${file.slice(0, -2)}.h`, "utf8"),
    readFile(file, "utf8"),
  ]);
  const struct = header.match(/^typedef struct w2c_\w+ \{\n.*?^\} w2c_\w+;/ms)?.[0];
  const begin = source.search(/^static (?:u32|void) w2c_/m);
  if (!struct || begin < 0) throw new SandboxError(`Cannot read the C of the program "${name}"`);
  return [
    `#define SANDBOX_MEMORY_BYTES ${await memoryBytesOf(wasm)}`,
    '#include "sandbox-runtime.h"',
    struct,
    programInC(name, source.slice(begin)),
    entriesInC(name, id, startInC(source)),
  ].join("\n");
}

/** Addresses of 64 bits become a base and an offset of 32, and what only `wasm2c`'s run-time needs is left out. */
function programInC(name: string, source: string): string {
  const text = source
    .replace(/^#if WASM_RT_USE_SEGUE_FOR_THIS_MODULE\n#if .*?^#endif\n.*?^#endif\n/gms, "")
    .replace(/^#if WASM_RT_USE_SEGUE_FOR_THIS_MODULE &&.*?^#endif\n/gms, "")
    .replace(/^FUNC_TYPE_T.*\n/gm, "")
    .replace(/^wasm_rt_func_type_t wasm2c_\w+_get_func_type\(.*?^\}\n/ms, "")
    .replace(/^(?:static )?void (?:init_memories|wasm2c_\w+)\(.*?^\}\n/gms, "")
    .replace(/^\/\* export: 'memory' \*\/\nwasm_rt_memory_t\* .*?^\}\n/ms, "")
    .replace(
      /_default32\((&instance->w2c_memory), \(u64\)\((\w+)\)(?: \+ (\d+)u?)?/g,
      (_all, memory, base, offset = 0) => `(${memory}, ${base}, ${offset}u`,
    )
    .replace(/^(u32|void) w2c_/gm, "static $1 w2c_");
  if (/u64|wasm_rt_(?!memory_t)/.test(text))
    throw new SandboxError(
      `Cannot translate the C of the program "${name}": wasm2c writes it in another way`,
    );
  return text;
}

/** The call that sets the variables whose first value WebAssembly's own initializers do not have. */
function startInC(source: string): string {
  const instantiate = /^void wasm2c_\w+_instantiate\(.*?^\}\n/ms.exec(source)?.[0];
  return /^ {2}w2c_\w+\(instance\);$/m.exec(instantiate ?? "")?.[0].trim() ?? "";
}

function entriesInC(name: string, id: string, start: string): string {
  return `
static void ${id}_open(void *state, uint8_t *memory)
{
	w2c_${id} *instance = state;
	init_globals(instance);
	instance->w2c_memory.data = memory;${start && `\n\t${start}`}
}

static uint32_t ${id}_begin(void *state, uint32_t first, uint32_t second) { return w2c_${id}_begin(state, first, second); }
static uint32_t ${id}_room(void *state) { return w2c_${id}_room(state); }
static uint32_t ${id}_feed(void *state, uint32_t byteLength) { return w2c_${id}_feed(state, byteLength); }
static uint32_t ${id}_finish(void *state) { return w2c_${id}_finish(state); }

const SandboxProgram sandbox_${id} = { "${name}", sizeof(w2c_${id}), SANDBOX_MEMORY_BYTES, ${id}_open,
	${id}_begin, ${id}_room, ${id}_feed, ${id}_finish };
`;
}

async function memoryBytesOf(wasm: string): Promise<number> {
  return programMemoryBytes(await readFile(wasm));
}

// The programs in Node: V8 runs the same WebAssembly, so the hub and the tests check what the console checks.

const sandbox = new WasmSandbox();

/** Builds the programs that are out of date. @returns the port over them */
export async function loadSandbox(names: readonly string[] = SANDBOX_PROGRAMS): Promise<Sandbox> {
  for (const name of names)
    if (!sandbox.has(name)) sandbox.add(name, await readFile(await buildProgram(name)));
  return sandbox;
}

if (process.argv[1] === import.meta.filename) await buildSandboxSources();
