/**
 * Runs native images on processors that QEMU emulates in its user mode, in a program around them instead of a console
 * (`program.c`).
 */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { NATIVE_HEAD_BYTES, readNativeHead } from "../../../../protocol/native-image.js";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../../..");
const FLAGS = ["-O2", "-ffreestanding", "-fno-builtin", "-Wall", "-Werror"];

/** Most that a program may take; it ends by itself. */
const LIMIT_MS = 60_000;

/** A processor, and what compiles for it. */
export interface Emulation {
  /** With `machine.h` and `start.S`. */
  readonly directory: string;
  readonly compiler: string;
  /** Of the compiler, for the program: not for what it runs. */
  readonly flags: readonly string[];
  readonly libraries: readonly string[];
  /** The emulator, and what stands before the program. */
  readonly emulator: readonly [program: string, ...args: string[]];
}

/** @returns the object file, in the directory given */
export async function compile(
  { directory, compiler, flags }: Pick<Emulation, "directory" | "compiler" | "flags">,
  source: string,
  into: string,
): Promise<string> {
  const object = path.join(into, `${path.parse(source).name}.o`);
  const includes = [directory, path.join(root, "device/wasm/native")].map((name) => `-I${name}`);
  await run(compiler, [...flags, ...FLAGS, ...includes, "-c", source, "-o", object]);
  return object;
}

/**
 * Runs the app of a container to its end.
 * @param temporary directory for what is compiled
 * @param options whether what it logs interrupts it
 * @returns what it logged, and how it ended: lines of `program.c`
 */
export async function runEmulated(
  emulation: Emulation,
  container: Uint8Array,
  temporary: string,
  { isInterrupted = false } = {},
): Promise<string[]> {
  const { layout } = readNativeHead(container, container.length);
  const file = path.join(temporary, "image.bin");
  const source = path.join(temporary, "image.S");
  await writeFile(file, container.subarray(NATIVE_HEAD_BYTES));
  await writeFile(
    source,
    `.data
.global imageFile, imageLayout, isInterrupted
.align 4
isInterrupted: .word ${isInterrupted ? 1 : 0}
imageLayout: .word ${Object.values(layout).join(", ")}
imageFile: .incbin "${file}"
`,
  );
  const sources = [
    path.join(emulation.directory, "start.S"),
    path.join(import.meta.dirname, "program.c"),
    path.join(root, "device/wasm/native/image-memory.c"),
    source,
  ];
  const objects = await Promise.all(sources.map((one) => compile(emulation, one, temporary)));
  const program = path.join(temporary, "program");
  const { compiler, flags, libraries, emulator } = emulation;
  await run(compiler, [...flags, "-nostdlib", "-static", "-o", program, ...objects, ...libraries]);
  const [name, ...args] = emulator;
  const { stdout } = await run(name, [...args, program], { timeout: LIMIT_MS });
  return stdout.split("\n").filter((line) => line !== "");
}
