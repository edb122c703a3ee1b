/**
 * Compiles modules as native images are compiled, into programs that call their exports and say what came of it: so that
 * what `wasm2c`, our checks and the compiler make of a module can be compared with what the specification or V8 says, for
 * thousands of calls.
 */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ModulePreparer } from "../../../device/wasm/module-preparer.js";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import { exportedFunctions, withoutNames } from "../../../protocol/module-file.js";
import { NATIVE_TARGETS } from "../../../sdk/builder/native/architectures.js";
import { COMPILER_FLAGS } from "../../../sdk/builder/native/build-image.js";
import { imageSource } from "../../../sdk/builder/native/image-source.js";
import { loadSandbox } from "../../../tools/sandbox.js";
import type { NumberType } from "../guest/v8-answers.js";

const run = promisify(execFile);
const sandbox = await loadSandbox(["validator"]);

const root = path.join(import.meta.dirname, "../../..");
const driver = path.join(import.meta.dirname, "driver.c");

/** What compiles such programs, and what runs them. */
export interface ProgramToolchain {
  readonly architecture: VariantArchitecture;
  /** For what is compiled as images are. */
  readonly imageFlags: readonly string[];
  /** For the rest, and the whole. */
  readonly flags: readonly string[];
  readonly linkerFlags: readonly string[];
  /** What stands before the program. */
  readonly emulator: readonly string[];
}

export const NATIVE_PROGRAMS: ProgramToolchain = Object.freeze({
  architecture: "native",
  imageFlags: [],
  flags: [],
  linkerFlags: ["-lm"],
  emulator: [],
});

/** What the C library of the program has itself, and uses before the image can be asked. */
const OWN_NAMES = ["memcpy", "memmove", "memset", "memcmp"].map((name) => `-D${name}=image_${name}`);

/** The program asks the emulator for what it does outside (semihosting), which has that for Cortex-A alone. */
export const ARM_PROGRAMS: ProgramToolchain = Object.freeze({
  architecture: "arm",
  imageFlags: [...NATIVE_TARGETS.arm.flags.filter((flag) => flag !== "-fpie"), ...OWN_NAMES],
  flags: ["-mthumb", "-march=armv7-a", "-mfloat-abi=soft"],
  linkerFlags: [
    ...[
      "--specs=rdimon.specs",
      "-lm",
      "-Wl,--no-warn-mismatch",
      "-Wl,--wrap=__aeabi_dadd,--wrap=__aeabi_dsub",
    ],
    ...["-Wl,--defsym,imageFrameTable=__exidx_start", "-Wl,--defsym,imageFrameTableEnd=__exidx_end"],
  ],
  emulator: ["qemu-arm"],
});

const compilerOf = ({ architecture }: ProgramToolchain) => NATIVE_TARGETS[architecture].compiler;

const imageSources = ({ architecture }: ProgramToolchain) => [
  "image.c",
  ...NATIVE_TARGETS[architecture].sources,
];

const objectOf = (source: string) => `${path.parse(source).name}.o`;

export interface ExportCall {
  readonly name: string;
  readonly parameters: readonly { readonly type: NumberType; readonly bits: bigint }[];
}

const LETTERS: Readonly<Record<string, string>> = { u32: "i", u64: "j", f32: "f", f64: "d" };

/** Compiles what all programs share. @param directory for what is compiled */
export async function compileShared(directory: string, toolchain = NATIVE_PROGRAMS): Promise<void> {
  await mkdir(directory, { recursive: true });
  const compiler = compilerOf(toolchain);
  for (const name of imageSources(toolchain)) {
    const object = path.join(directory, objectOf(name));
    const source = path.join(root, "sdk/native", name);
    await run(compiler, [...toolchain.imageFlags, ...COMPILER_FLAGS, "-c", source, "-o", object]);
  }
  const flags = ["-O1", "-Wall", "-Werror", `-I${path.join(root, "device/wasm/native")}`];
  await run(compiler, [...toolchain.flags, ...flags, "-c", driver, "-o", path.join(directory, "driver.o")]);
}

/**
 * Runs the module's start, and then the calls in their order.
 * @param directory, toolchain of {@link compileShared}
 * @returns a line for each: `ok i32:1`, or `trap`; none if the start trapped
 * @throws {Fault} for a module that a console refuses
 */
export async function callExports(
  module: Uint8Array,
  calls: readonly ExportCall[],
  directory: string,
  toolchain = NATIVE_PROGRAMS,
): Promise<string[]> {
  const preparer = new ModulePreparer(sandbox);
  preparer.validate(module);
  const facts = preparer.endValidation();
  const pieces: Uint8Array[] = [];
  preparer.prepare(module, (piece) => pieces.push(piece.slice()));
  preparer.endPreparation((piece) => pieces.push(piece.slice()));
  preparer.close();
  const indices = exportedFunctions(module);
  const pages = facts.memory?.preparedMaximumPages ?? 0;
  const source = await imageSource(withoutNames(Buffer.concat(pieces)), facts, directory, () => "");
  const file = path.join(directory, "app.c");
  await writeFile(file, source + runnerOf(source, calls, indices, pages));
  const objects = ["app.c", "driver.c", ...imageSources(toolchain)].map((name) =>
    path.join(directory, objectOf(name)),
  );
  const program = path.join(directory, "program");
  const compiler = compilerOf(toolchain);
  const { imageFlags, flags, linkerFlags, emulator } = toolchain;
  await run(compiler, [...imageFlags, ...COMPILER_FLAGS, "-c", file, "-o", objects[0] as string]);
  await run(compiler, [...flags, "-o", program, ...objects, ...linkerFlags]);
  const [first = "", ...rest] = [...emulator, program];
  const { stdout } = await run(first, rest, { maxBuffer: 1 << 26 });
  return stdout.split("\n").filter((line) => line !== "");
}

function runnerOf(
  source: string,
  calls: readonly ExportCall[],
  indices: ReadonlyMap<string, number>,
  pages: number,
): string {
  const made = calls.map(({ name, parameters }, at) => {
    const symbol = `w2c_app_f${indices.get(name)}`;
    const result = new RegExp(`^static (\\S+|struct \\S+) ${symbol}\\(`, "m").exec(source)?.[1] ?? "void";
    const given = parameters.map(({ type, bits }) => `, ${constant(type, bits)}`).join("");
    const { types, body } = resultsOf(result, `${symbol}(&app${given})`);
    return { types, text: `static void call_${at}(u64 *results) { ${body} }` };
  });
  return `
const u32 testMaximumPages = ${pages}u;
static w2c_app app;
void test_call(void (*function)(u64 *results), const char *types);
static void instantiate(u64 *results) { wasm2c_app_instantiate(&app); }
${made.map(({ text }) => text).join("\n")}
s32 image_app_run(void)
{
	test_call(instantiate, "");
${made.map(({ types }, at) => `\ttest_call(call_${at}, "${types}");`).join("\n")}
	return 0;
}
`;
}

function constant(type: NumberType, bits: bigint): string {
  if (type === "i32") return `${bits}u`;
  if (type === "i64") return `${bits}ull`;
  return type === "f32" ? `f32_reinterpret_i32(${bits}u)` : `f64_reinterpret_i64(${bits}ull)`;
}

function resultsOf(result: string, call: string): { types: string; body: string } {
  if (result === "void") return { types: "", body: `${call};` };
  const letters = result.startsWith("struct") ? result.replace(/^struct wasm_multi_/, "") : LETTERS[result];
  if (letters === undefined) throw new Error(`Cannot tell what ${result} has`);
  const isOne = !result.startsWith("struct");
  const parts = [...letters].map((letter, at) => {
    const value = isOne ? "made" : `made.${letter}${at}`;
    if (letter === "f") return `results[${at}] = i32_reinterpret_f32(${value});`;
    return letter === "d" ? `results[${at}] = i64_reinterpret_f64(${value});` : `results[${at}] = ${value};`;
  });
  return { types: letters, body: `const ${result} made = ${call}; ${parts.join(" ")}` };
}
