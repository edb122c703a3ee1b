/**
 * A compiler for programs of 32 bits that this computer runs: gcc with its 32-bit libraries (Debian's `gcc-multilib`), else
 * Zig, which brings a C library of its own: the one in the path, or that of npm (tools/zig.ts).
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hasZig, provideZig } from "../../tools/zig.js";

const run = promisify(execFile);

export interface DesktopCompiler {
  readonly command: string;
  /** Before all others, to compile and to link. */
  readonly flags: readonly string[];
}

const GCC: DesktopCompiler = Object.freeze({ command: "gcc", flags: Object.freeze(["-m32"]) });
const ZIG: DesktopCompiler = Object.freeze({
  command: "zig",
  flags: Object.freeze(["cc", "-target", "x86-linux-musl"]),
});

let known: Promise<DesktopCompiler> | undefined;

/** @throws {Error} that says what to install */
export function desktopCompiler(): Promise<DesktopCompiler> {
  known ??= findCompiler();
  return known;
}

async function findCompiler(): Promise<DesktopCompiler> {
  if (await canCompile(GCC)) return GCC;
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("The root of a board is made by a program of 32 bits, which Linux on x86-64 alone runs");
  provideZig({ mayInstall: true });
  if (!hasZig())
    throw new Error(
      "The root of a board needs a compiler for programs of 32 bits: apt-get install gcc-multilib",
    );
  return ZIG;
}

/** Headers are missing where the compiler is there without its libraries for 32 bits. */
async function canCompile({ command, flags }: DesktopCompiler): Promise<boolean> {
  const probe = ["-include", "stdio.h", "-x", "c", "-fsyntax-only", "/dev/null"];
  return run(command, [...flags, ...probe]).then(
    () => true,
    () => false,
  );
}
