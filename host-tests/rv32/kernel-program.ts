/** Programs of C for RV32 over the kernel of `boards/rv32/kernel`, each compiled and run in a folder of its own. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { COMPILER_FLAGS, compile, LINKER_FLAGS, runInQemu } from "../../boards/rv32/builder/toolchain.js";

const PROJECT = path.join(import.meta.dirname, "../..");
const INCLUDE = ["boards/rv32/kernel/include", "boards/rv32/kernel", "."].flatMap((folder) => [
  "-I",
  path.join(PROJECT, folder),
]);
const WARNINGS = ["-Wall", "-Wextra", "-Werror"];

/** Threads and time. */
const THREADS = ["clock.c", "threads.c", "pthread.c", "mutex.c", "condition.c", "switch.S"].map(
  (file) => `boards/rv32/kernel/${file}`,
);

/** What was compiled, and the folder that it runs in. */
export type Program = { readonly elf: string; readonly folder: string };

/** Compiles `sources`, paths in the project, with threads and time. */
export async function buildKernelProgram(
  name: string,
  sources: readonly string[],
  flags: readonly string[] = [],
): Promise<Program> {
  const folder = path.join(PROJECT, "build/rv32-tests", name);
  mkdirSync(folder, { recursive: true });
  const objects = await Promise.all(
    [...THREADS, ...sources].map(async (source) => {
      const object = path.join(folder, `${path.basename(source)}.o`);
      await compile([
        ...COMPILER_FLAGS,
        ...WARNINGS,
        ...flags,
        ...INCLUDE,
        "-c",
        path.join(PROJECT, source),
        "-o",
        object,
      ]);
      return object;
    }),
  );
  const elf = path.join(folder, "program.elf");
  await compile([...LINKER_FLAGS, ...objects, "-o", elf]);
  return { elf, folder };
}

/** Runs it to its end. @returns its exit status and its lines */
export async function runKernelProgram({
  elf,
  folder,
}: Program): Promise<{ status: number | null; lines: string[] }> {
  const { status, said } = await runInQemu(elf, folder);
  return { status, lines: said.split("\n").filter((line) => line !== "") };
}
