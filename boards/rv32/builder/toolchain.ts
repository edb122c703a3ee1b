/**
 * The compiler for RV32IMAC, its C library, and QEMU, all of them Debian packages. QEMU counts instructions exactly
 * with `-icount` (and `sleep=off`: otherwise its sleep counts, too), and accesses files of the working directory by
 * semihosting.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

export const COMPILER = "riscv64-unknown-elf-gcc";
const QEMU = "qemu-system-riscv32";

/** A file that shows that the package is installed. */
const PACKAGES = Object.freeze({
  "/usr/bin/riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
  "/usr/lib/picolibc/riscv64-unknown-elf/lib/picolibc.ld": "picolibc-riscv64-unknown-elf",
  "/usr/bin/qemu-system-riscv32": "qemu-system-misc",
});

/** The target: the ESP32-C3's instructions, and the C library of the linker's flags. */
const TARGET_FLAGS = Object.freeze([
  "--specs=picolibc.specs",
  "--picolibc-buildtype=release", // with a memcpy() that copies words, as in a chip's ROM
  "--oslib=semihost",
  "-march=rv32imac",
  "-mabi=ilp32",
]);

export const COMPILER_FLAGS = Object.freeze([
  ...TARGET_FLAGS,
  "-std=gnu11",
  "-Os",
  "-g",
  "-fno-common",
  "-ffunction-sections",
  "-fdata-sections",
]);

/**
 * Flash ends where RAM begins, and RAM where QEMU's ends. The machine's arena is in RAM; the rest is heap and stack.
 */
export const MEMORY = Object.freeze({
  flash: 0x80000000,
  flashBytes: 4 << 20,
  ram: 0x80400000,
  ramBytes: 60 << 20,
});

export const LINKER_FLAGS = Object.freeze([
  ...TARGET_FLAGS,
  "--crt0=semihost",
  "-Wl,--gc-sections",
  `-Wl,--defsym=__flash=${MEMORY.flash},--defsym=__flash_size=${MEMORY.flashBytes}`,
  `-Wl,--defsym=__ram=${MEMORY.ram},--defsym=__ram_size=${MEMORY.ramBytes}`,
]);

/** Names of missing Debian packages. */
export function missingPackages(): string[] {
  return Object.entries(PACKAGES)
    .filter(([file]) => !existsSync(file))
    .map(([, name]) => name);
}

/** @throws {Error} with the compiler's output */
export async function compile(args: readonly string[]): Promise<void> {
  await run(COMPILER, [...args]);
}

/** The whole session takes seconds. */
const LIMIT_MS = 240_000;

/**
 * Runs a program until it ends or the time limit kills it.
 *
 * The program does not get its path, whose length would change its counts.
 * @param directory for its relative paths
 * @returns its exit status, and its output
 */
export async function runInQemu(
  elf: string,
  directory: string,
): Promise<{ status: number | null; said: string }> {
  const machine = ["-M", "virt", "-m", "80M", "-bios", "none", "-icount", "shift=0,sleep=off", "-nographic"];
  const files = ["-semihosting-config", "enable=on,target=native,arg=console"];
  const child = spawn(QEMU, [...machine, "-monitor", "none", "-serial", "none", ...files, "-kernel", elf], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [status] = await once(child, "close");
  return { status, said: Buffer.concat(output).toString() };
}
