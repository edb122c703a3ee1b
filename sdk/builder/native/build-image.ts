/**
 * Compiles an app's module ahead of time: to C, by `sdk/native` and the compiler of the architecture to a native image, and
 * that into the container that a console loads (docs/spec/aot.md).
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import type { Manifest } from "../../../protocol/manifest/manifest.js";
import { functionNames, withoutNames } from "../../../protocol/module-file.js";
import { NATIVE_FRAME_LIMIT_BYTES } from "../../../protocol/native-image.js";
import { CompileError, SdkError } from "../../sdk-error.js";
import { prepareModule } from "../prepare-module.js";
import { NATIVE_TARGETS, type NativeTarget } from "./architectures.js";
import { ElfFile, type ElfRelocation } from "./elf-file.js";
import { FUNCTION_PATTERN, imageSource } from "./image-source.js";
import { encodeNativeImage, type NativeFunction, type NativeRelocation } from "./image-writer.js";
import { type ProgramFailure, saidBy } from "./program-failure.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const imageDirectory = path.join(root, "sdk/native");

/**
 * Functions keep their frames, from which a trap's stack is read, and are not put into each other, so that it names all
 * of them. Numbers behave as in WebAssembly: no fused operations, and the current rounding.
 */
export const COMPILER_FLAGS = [
  ...["-std=gnu11", "-O2", "-ffreestanding", "-fno-stack-protector", "-fstack-usage", "-w"],
  ...["-include", "wasm-rt.h", "-fno-asynchronous-unwind-tables", "-fno-common"],
  ...["-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-inline-functions"],
  ...[
    "-fno-inline-small-functions",
    "-fno-inline-functions-called-once",
    "-fno-partial-inlining",
    "-fno-ipa-icf",
  ],
  ...["-fno-strict-aliasing", "-ffp-contract=off", "-frounding-math", "-fsignaling-nans"],
  ...["-ffunction-sections", "-fdata-sections"],
  `-I${path.join(imageDirectory, "include")}`,
  `-I${imageDirectory}`,
  `-I${path.join(root, "device/wasm/native")}`,
];
const LINKER_FLAGS = [
  ...["-nostdlib", "-static", "-no-pie", "-Wl,--emit-relocs", "-Wl,--gc-sections", "-Wl,--build-id=none"],
  ...["-Wl,--undefined=imageLimit", "-Wl,-z,norelro", "-Wl,--no-warn-rwx-segments"],
];

/** The sections that the linker's scripts leave: what is only read, and what is written. */
const READ: readonly string[] = [".text", ".ARM.extab", ".ARM.exidx"];
const LOADED: readonly string[] = [...READ, ".data", ".bss"];

/** Deepest nesting of blocks that `wasm2c` translates: beyond, its own stack overflows. Consoles take 512 levels. */
const NESTED_BLOCKS_LIMIT = 200;

/** No app that a console takes needs longer to compile. */
const COMPILER_LIMIT_MS = 600_000;

/** Most that a compiler may say. */
const OUTPUT_LIMIT_BYTES = 1 << 24;

/**
 * @param module as published; it must be one that a console accepts for this manifest
 * @returns the container, `app.ARCHITECTURE.aot` of a package
 * @throws {SdkError} `compiler_missing`, `compile_failed`; a `Fault` for a module that a console would reject
 */
export async function buildNativeImage(
  module: Uint8Array,
  manifest: Pick<Manifest, "entry" | "memory_quota" | "capabilities">,
  architecture: VariantArchitecture,
): Promise<Uint8Array> {
  const target = NATIVE_TARGETS[architecture];
  const { facts, prepared } = await prepareModule(module, manifest);
  if (!/^[\x21-\x7e]+$/.test(manifest.entry))
    throw refusal("its entry has a name that is not printable ASCII");
  if (facts.deepestBlock > NESTED_BLOCKS_LIMIT)
    throw refusal(
      `${facts.deepestBlock} blocks are nested in each other, and ${NESTED_BLOCKS_LIMIT} are the limit`,
    );
  const directory = await mkdtemp(path.join(tmpdir(), "svc-image-"));
  try {
    const source = await imageSource(withoutNames(prepared), facts, directory);
    const { elf, frameBytes } = await compile(source, target, directory);
    const body = encodeNativeImage({
      ...imageOf(elf, target, functionNames(module)),
      machine: target.machine,
      moduleSha256: createHash("sha256").update(module).digest("hex"),
      preparedSha256: createHash("sha256").update(prepared).digest("hex"),
      entry: manifest.entry,
      frameBytes,
    });
    return Buffer.concat([body, createHash("sha256").update(body).digest()]);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A module that a console runs, and that is not compiled. */
function refusal(reason: string): CompileError {
  return new CompileError("the module ahead of time", reason);
}

async function compile(
  source: string,
  target: NativeTarget,
  directory: string,
): Promise<{ elf: ElfFile; frameBytes: number }> {
  const app = path.join(directory, "app.c");
  await writeFile(app, source);
  const linked = path.join(directory, "image.elf");
  const sources = [app, ...["image.c", ...target.sources].map((name) => path.join(imageDirectory, name))];
  const objects = sources.map((file) => path.join(directory, `${path.parse(file).name}.o`));
  try {
    for (const [index, file] of sources.entries())
      await call(target, [...COMPILER_FLAGS, "-c", file, "-o", objects[index] as string]);
    const script = path.join(imageDirectory, target.areVariablesApart ? "image-apart.ld" : "image.ld");
    await call(target, [...LINKER_FLAGS, `-Wl,-T,${script}`, "-o", linked, ...objects, "-lgcc"]);
  } catch (error) {
    throw compileError(target, error as ProgramFailure);
  }
  const usage = await Promise.all(
    objects.map((object) => readFile(`${object.slice(0, -".o".length)}.su`, "utf8")),
  );
  return { elf: new ElfFile(await readFile(linked)), frameBytes: largestFrame(usage.join("")) };
}

async function call({ compiler, flags }: NativeTarget, args: readonly string[]): Promise<void> {
  await run(compiler, [...flags, ...args], { maxBuffer: OUTPUT_LIMIT_BYTES, timeout: COMPILER_LIMIT_MS });
}

/** What the linker says where code is too far from code, or from a word that it reads. */
const TOO_FAR = /dangerous relocation: .+ out of range/;

function compileError(target: NativeTarget, error: ProgramFailure): SdkError {
  if (TOO_FAR.test(saidBy(target.compiler, error)))
    return refusal(`its code is too large for ${target.machine}`);
  if (error.code !== "ENOENT") return new CompileError("the module", saidBy(target.compiler, error));
  return new SdkError("compiler_missing", `Cannot compile ahead of time: ${target.compiler} is missing`, {
    advice: `Install it (${target.installation}), or have your hub compile: --by-hub`,
  });
}

/** Lines of gcc's `-fstack-usage`: `app.c:12:5:w2c_app_f3	48	static`; parameters on the stack make it `dynamic,bounded`. */
function largestFrame(usage: string): number {
  const frames = [...usage.matchAll(/\t(\d+)\t(\S+)$/gm)];
  if (frames.some(([, , kind]) => kind === "dynamic"))
    throw new Error("Cannot bound the stack of an image whose frames grow");
  let largest = 0;
  for (const [, bytes] of frames) largest = Math.max(largest, Number(bytes));
  if (largest > NATIVE_FRAME_LIMIT_BYTES)
    throw refusal(
      `a function needs ${largest} bytes of the stack, and ${NATIVE_FRAME_LIMIT_BYTES} are the limit`,
    );
  return largest;
}

function imageOf(elf: ElfFile, target: NativeTarget, names: ReadonlyMap<number, string>) {
  const unknown = elf.loaded.filter((name) => !LOADED.includes(name));
  if (unknown.length > 0) throw new Error(`Cannot load the sections ${unknown.join(", ")} of an image`);
  const zero = elf.extent(".bss");
  const data =
    elf.content(".data").length > 0 ? elf.extent(".data") : { address: zero.address, byteLength: 0 };
  const text = new Uint8Array(data.address);
  for (const name of READ) text.set(elf.content(name), elf.extent(name).address);
  const symbols = elf.symbols();
  return {
    text,
    data: elf.content(".data"),
    zeroByteLength: zero.address + zero.byteLength - data.address - data.byteLength,
    relocations: relocationsOf(elf, target),
    functions: functionsOf(symbols, names),
    entryOffset: addressOf(symbols, "native_main"),
    limitOffset: addressOf(symbols, "imageLimit"),
  };
}

/**
 * Where code finds its variables relative to itself, only words in variables hold addresses; code and constants are the
 * same wherever they are.
 */
function relocationsOf(elf: ElfFile, target: NativeTarget): NativeRelocation[] {
  const relocations = elf.relocations();
  const isRelative = ({ type }: ElfRelocation) => target.relativeRelocations.includes(type);
  if (target.areVariablesApart) relocations.filter(isRelative).forEach(requireOnePart);
  return relocations
    .filter((relocation) => !isRelative(relocation))
    .map(({ address, type, section, pointsTo }) => {
      const isKnown = target.areVariablesApart ? LOADED.includes(pointsTo) : section === ".data";
      if (!target.addressRelocations.includes(type) || !isKnown)
        throw new Error(`Cannot relocate an image: relocation ${type} in ${section} to ${pointsTo}`);
      return { at: address, isOfVariable: target.areVariablesApart && pointsTo !== ".text" };
    })
    .sort((one, other) => one.at - other.at);
}

/** What is relative is right only as long as both ends move together. */
function requireOnePart({ type, section, pointsTo }: ElfRelocation): void {
  const isInOne = (section === ".text") === (pointsTo === ".text");
  if (!isInOne && pointsTo !== "")
    throw new Error(`Cannot relocate an image: relocation ${type} in ${section} to ${pointsTo}`);
}

function functionsOf(
  symbols: ReturnType<ElfFile["symbols"]>,
  names: ReadonlyMap<number, string>,
): NativeFunction[] {
  const functions = symbols.filter(({ isFunction }) => isFunction);
  return functions
    .map(({ name, address }) => ({ offset: address, name: shownName(name, names) }))
    .sort((one, other) => one.offset - other.offset);
}

/** What the interpreter shows: the name, or `#index`. */
function shownName(symbol: string, names: ReadonlyMap<number, string>): string {
  const index = FUNCTION_PATTERN.exec(symbol)?.[1];
  return index === undefined ? "" : names.get(Number(index)) || `#${index}`;
}

function addressOf(symbols: ReturnType<ElfFile["symbols"]>, name: string): number {
  const symbol = symbols.find((candidate) => candidate.name === name);
  if (!symbol) throw new Error(`Cannot make an image without ${name}`);
  return symbol.address;
}
