/**
 * Builds the runtime of script apps: MicroPython and the shim in one module, which imports nothing but the ABI
 * (docs/adr/0040-scripts-run-on-micropython.md). It takes half a minute, once; the result is kept in `build/python`.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import binaryen from "binaryen";
import { compileModule } from "../../tools/assemblyscript.js";
import { withLock } from "../../tools/lock.js";
import { CompileError, SdkError } from "../sdk-error.js";
import { dataSegments, PAGE_BYTES, setMemory } from "./binaryen-parts.js";
import { dispatchSource, NAMES } from "./dispatch.js";
import { collectWhileRunning } from "./garbage-collection.js";
import { replaceLongJumps } from "./long-jumps.js";
import { FEATURES, found, MicroPython, UnknownModuleError } from "./micropython-module.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
const output = path.join(root, "build/python");
const here = path.join(root, "sdk/python");

/** Logged where there is no memory for anything else. */
const LAST_MESSAGE = "MemoryError: no memory is left to say where";

/** MicroPython's stack and variables, which end at 186864; its own module starts with the heap of a browser. */
const INITIAL_PAGES = 3;

/** @returns the module, without a script and without a manifest */
export async function buildRuntime(): Promise<Uint8Array> {
  if (!existsSync(micropythonFile()))
    throw new SdkError(
      "compiler_missing",
      "Cannot build apps in Python: MicroPython's package is not installed",
      {
        advice: "Run `npm ci` in the clone.",
      },
    );
  await mkdir(output, { recursive: true });
  const file = path.join(output, `runtime-${stamp()}.wasm`);
  return withLock(path.join(output, "runtime"), async () => {
    if (!existsSync(file)) await build(file);
    return readFile(file);
  });
}

function micropythonFile(): string {
  return path.join(root, "node_modules/@micropython/micropython-webassembly-pyscript/micropython.wasm");
}

/** Changes with everything that the runtime is made of. */
function stamp(): string {
  const hash = createHash("sha256").update(dispatchSource()).update(readFileSync(micropythonFile()));
  const files = readdirSync(here, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(ts|py)$/.test(name),
  );
  for (const name of files.sort()) hash.update(name).update(readFileSync(path.join(here, name)));
  hash.update(readFileSync(path.join(root, "node_modules/binaryen/package.json")));
  return hash.digest("hex").slice(0, 16);
}

async function build(file: string): Promise<void> {
  const temporary = await mkdtemp(path.join(output, "build-"));
  try {
    await writeFile(path.join(temporary, "micropython.wasm"), transformed());
    await writeFile(path.join(temporary, "shim.wasm"), await compileShim(temporary));
    await merge(temporary);
    await writeFile(`${file}.new`, finished(await readFile(path.join(temporary, "merged.wasm"))));
    await rename(`${file}.new`, file);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** MicroPython with ordinary code in place of jumps, and with collection of garbage. */
function transformed(): Uint8Array {
  const micropython = new MicroPython(micropythonFile());
  const { module } = micropython;
  sleepInsteadOfSpinning(micropython);
  endInsteadOfSpinning(micropython);
  askForStack(micropython);
  collectWhileRunning(micropython);
  putTexts(module);
  binaryen.setOptimizeLevel(0);
  binaryen.setShrinkLevel(0);
  module.runPasses(["flatten"]);
  replaceLongJumps(micropython);
  // Flat code has a local for each value. What is left of them shares places, or frames would take kilobytes.
  module.runPasses([
    ...Array(2).fill(["simplify-locals-nonesting", "vacuum", "coalesce-locals"]).flat(),
    "spill-pointers",
  ]);
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

/** mp_hal_delay_ms and mp_hal_delay_us ask for the time until it has passed. */
function sleepInsteadOfSpinning(micropython: MicroPython): void {
  const { module } = micropython;
  const ticks = micropython.importNamed("mp_js_ticks_ms");
  const [ms, us] = micropython.functionsLike(new RegExp(`\\$${ticks.replace("$", "\\$")}\\b.*\\(loop`));
  for (const [name, base] of [
    [found(ms, "mp_hal_delay_ms"), "delay_ms"],
    [found(us, "mp_hal_delay_us"), "delay_us"],
  ] as const) {
    module.addFunctionImport(base, "env", base, binaryen.i32, binaryen.none);
    micropython.define(name, module.call(base, [module.local.get(0, binaryen.i32)], binaryen.none));
  }
}

/** nlr_jump_fail and __fatal_error are endless loops. */
function endInsteadOfSpinning(micropython: MicroPython): void {
  const { module } = micropython;
  module.addFunctionImport("out_of_memory", "env", "out_of_memory", binaryen.none, binaryen.none);
  for (const name of micropython.functionsLike(/^\(loop \$(\w+) \(br \$\1\)\)$/))
    micropython.define(
      name,
      module.block(null, [module.call("out_of_memory", [], binaryen.none), module.unreachable()]),
    );
}

/** mp_cstack_check compares the stack in memory with a limit; the engine's own stacks may end sooner. */
function askForStack(micropython: MicroPython): void {
  const { module } = micropython;
  const pattern =
    /\(i32\.lt_u \(i32\.sub \(i32\.load offset=\d+ \(i32\.const 0\)\).*\(call \$(\w+)\) \(unreachable\)/;
  const check = found(
    micropython.functionsLike(pattern).find((name) => isWithoutParameters(micropython, name)),
    "mp_cstack_check",
  );
  const raise = found(pattern.exec(micropython.textOf(check))?.[1], "mp_raise_recursion_depth");
  module.addFunctionImport("is_stack_low", "env", "is_stack_low", binaryen.none, binaryen.i32);
  micropython.define(
    check,
    module.if(module.call("is_stack_low", [], binaryen.i32), module.call(raise, [], binaryen.none)),
  );
}

function isWithoutParameters(micropython: MicroPython, name: string): boolean {
  const { params, results } = binaryen.getFunctionInfo(micropython.module.getFunction(name));
  return params === binaryen.none && results === binaryen.none;
}

/** Puts `svc.py` and the names where MicroPython has texts of JavaScript that nothing reads. */
function putTexts(module: binaryen.Module): void {
  const texts = Buffer.concat([prelude(), Buffer.from(`\0${NAMES}\0${LAST_MESSAGE}\0`)]);
  const at = globalValue(module, "__start_em_js");
  const room = globalValue(module, "__stop_em_js") - at;
  if (texts.length > room)
    throw new UnknownModuleError(`Cannot put texts of ${texts.length} bytes in room for ${room}`);
  const segments = dataSegments(module);
  const replaced = segments.findIndex(({ offset }) => offset === at);
  if (replaced < 0)
    throw new UnknownModuleError("Cannot find the texts of JavaScript in MicroPython's module");
  segments[replaced] = { offset: at, data: texts };
  setMemory(module, { initialPages: INITIAL_PAGES, maximumPages: PAGE_BYTES }, segments);
}

/** `svc.py` without comments and empty lines. */
function prelude(): Buffer {
  const lines = readFileSync(path.join(here, "svc.py"), "utf8").split("\n");
  const short = lines
    .filter((line) => !/^\s*(#|$)/.test(line))
    .map((line) => line.replace(/^( {4})+/, (indent) => " ".repeat(indent.length / 4)));
  return Buffer.from(`${short.join("\n")}\n`);
}

function globalValue(module: binaryen.Module, name: string): number {
  const { value } = binaryen.getExportInfo(module.getExport(name));
  const { init } = binaryen.getGlobalInfo(module.getGlobal(value));
  return (binaryen.getExpressionInfo(init) as binaryen.ConstInfo).value as number;
}

async function compileShim(temporary: string): Promise<Uint8Array> {
  const shim = path.join(temporary, "shim");
  cpSync(path.join(here, "shim"), shim, { recursive: true });
  await writeFile(path.join(shim, "dispatch.ts"), dispatchSource());
  const flags = [
    "--runtime",
    "stub",
    "--importMemory",
    "--optimizeLevel",
    "3",
    "--shrinkLevel",
    "1",
    "--noAssert",
  ];
  const { module, said } = await compileModule(shim, "main.ts", flags);
  if (!module) throw new CompileError("sdk/python/shim", said);
  return withSharedMemory(module);
}

/** The compiler imports memory from `env`, which the shim itself is for MicroPython. */
function withSharedMemory(bytes: Uint8Array): Uint8Array {
  const compiled = binaryen.readBinaryWithFeatures(bytes, FEATURES);
  const text = compiled
    .emitText()
    .replace(
      /\(import "env" "memory" \(memory (\S+) 1 1\)\)/,
      '(import "micropython" "memory" (memory $1 1 65536))',
    );
  compiled.dispose();
  const module = binaryen.parseText(text);
  module.setFeatures(FEATURES);
  const shared = module.emitBinary();
  module.dispose();
  return shared;
}

async function merge(directory: string): Promise<void> {
  const tool = path.join(root, "node_modules/binaryen/bin/wasm-merge");
  const files = ["micropython.wasm", "micropython", "shim.wasm", "env", "-o", "merged.wasm"];
  await run(process.execPath, [tool, ...files, "--rename-export-conflicts", "--all-features"], {
    cwd: directory,
  });
}

/** Drops all exports but the entry and the memory, which consoles do not need and syntax-check.ts does. */
function finished(bytes: Uint8Array): Uint8Array {
  const module = binaryen.readBinaryWithFeatures(bytes, FEATURES);
  for (let index = module.getNumExports() - 1; index >= 0; index--) {
    const { name } = binaryen.getExportInfo(module.getExportByIndex(index));
    if (name !== "main" && name !== "memory") module.removeExport(name);
  }
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(1);
  module.optimize();
  const optimized = module.emitBinary();
  module.dispose();
  return optimized;
}
