/**
 * Modules in the board's format: the program and the host's modules, compiled on the desktop (bytecode.c).
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { compileStale, linkStale } from "../../tools/objects.js";
import { xs } from "../engine.js";
import type { Module } from "../machine/generate-tables.js";

const run = promisify(execFile);

/** XS's parser, without a machine. */
const PARSER = Object.freeze([
  "BigInt",
  "Code",
  "Common",
  "dtoa",
  "Lexical",
  "re",
  "Scope",
  "Script",
  "SourceMap",
  "Syntaxical",
  "Tree",
]);

const FLAGS = Object.freeze([
  "-std=gnu11",
  "-O1",
  "-w",
  "-DINCLUDE_XSPLATFORM",
  "-DmxCompile=1",
  `-isystem${xs}/includes`,
  `-isystem${xs}/platforms`,
  `-isystem${xs}/sources`,
]);

/**
 * @param program text of the module `main`
 * @param hostModules later ones replace earlier ones with the same name
 * @param output directory of the compiler
 * @param directory for the modules
 * @returns modules with unique names, `main` last
 */
export async function compileModules(
  program: string,
  hostModules: readonly Module[],
  output: string,
  directory: string,
): Promise<Module[]> {
  const compiler = await buildCompiler(output);
  const byName = new Map(hostModules.map((module) => [module.specifier, module]));
  const modules = [...byName.values(), { specifier: "main", bytes: Buffer.from(program) }];
  await mkdir(directory, { recursive: true });
  return Promise.all(modules.map((module) => compileModule(compiler, module, directory)));
}

async function compileModule(
  compiler: string,
  { specifier, bytes }: Module,
  directory: string,
): Promise<Module> {
  const text = path.join(directory, `${specifier.replace(/\W/g, "_")}.js`);
  const bytecode = text.replace(/js$/, "xsb");
  await writeFile(text, bytes);
  await run(compiler, [specifier, text, bytecode]);
  return { specifier, bytes: await readFile(bytecode) };
}

/**
 * @param output directory
 * @returns path of the executable
 */
async function buildCompiler(output: string): Promise<string> {
  const sources = [
    ...PARSER.map((name) => path.join(xs, "sources", `xs${name}.c`)),
    path.join(import.meta.dirname, "bytecode.c"),
  ];
  const jobs = sources.map((source) => ({
    source,
    object: path.join(output, "compiler", `${path.basename(source, ".c")}.o`),
    flags: FLAGS,
  }));
  await compileStale("gcc", jobs, (count) =>
    process.stderr.write(`engine: compiling ${count} files (desktop)\n`),
  );
  const files = jobs.map(({ object }) => object);
  const executable = path.join(output, "compiler/bytecode");
  const flags = ["-lm"];
  await linkStale(executable, { files, flags }, (file) => run("gcc", [...files, "-o", file, ...flags]));
  return executable;
}
