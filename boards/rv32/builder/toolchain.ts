/**
 * The compiler for RV32IMAC, its C library, and the machine that runs what they make: Debian's packages of both. QEMU
 * counts instructions exactly under `-icount` (with `sleep=off`: else the time that it sleeps counts too), and gives
 * files of the working directory by semihosting.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

export const COMPILER = "riscv64-unknown-elf-gcc";
const QEMU = "qemu-system-riscv32";

/** By the file that shows that it is there. */
const PACKAGES = Object.freeze({
  "/usr/bin/riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
  "/usr/lib/picolibc/riscv64-unknown-elf/lib/picolibc.ld": "picolibc-riscv64-unknown-elf",
  "/usr/bin/qemu-system-riscv32": "qemu-system-misc",
});

/** What code is compiled for: the ESP32-C3's instructions, with the C library of the linker's flags. */
const TARGET_FLAGS = Object.freeze([
  "--specs=picolibc.specs",
  "--picolibc-buildtype=release", // whose memcpy() and the like take words, as a chip's ROM does
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

/** Flash ends where RAM begins, and RAM where QEMU's does. Of it the machine has its arena; the rest is heap and stack. */
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

/** Debian's packages that are not there. */
export function missingPackages(): string[] {
  return Object.entries(PACKAGES)
    .filter(([file]) => !existsSync(file))
    .map(([, name]) => name);
}

/** @throws {Error} with what the compiler says */
export async function compile(args: readonly string[]): Promise<void> {
  await run(COMPILER, [...args]);
}

/** All of the session takes seconds. */
const LIMIT_MS = 240_000;

/**
 * Runs a program until it ends, or for so long that it never will.
 *
 * The program is not told its path, of which its counts would be another by the length.
 * @param directory that its paths begin in
 * @returns its exit status, and what it wrote to either output
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
