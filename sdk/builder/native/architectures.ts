/** The architectures that apps can be compiled for ahead of time, and what compiles for them. */
import type { VariantArchitecture } from "../../../protocol/file-kind.js";

export interface NativeTarget {
  /** As a console names what it runs (`Guest.machine`). */
  readonly machine: string;
  readonly compiler: string;
  /** How the compiler is installed. */
  readonly installation: string;
  readonly flags: readonly string[];
  /** C of `sdk/native` beside `image.c`. */
  readonly sources: readonly string[];
  /** Whether variables, and constants with them, are in another memory than code (`CodeMemory`). */
  readonly areVariablesApart: boolean;
  /** Relocations (`r_type`) of words that hold an address. */
  readonly addressRelocations: readonly number[];
  /** Relocations that stay right wherever the image is. */
  readonly relativeRelocations: readonly number[];
}

/** Numbers of relocations: System V ABI, AMD64 supplement, table 4.9. */
const X86_64 = Object.freeze({ address64: 1, pc32: 2, plt32: 4 });

/** RISC-V ELF psABI, table 3: branches, jumps, calls, pairs of `auipc`, differences, and hints of the linker. */
const RISCV = Object.freeze({
  address32: 1,
  relative: Object.freeze([
    16, 17, 18, 19, 23, 24, 25, 33, 34, 35, 36, 37, 38, 39, 40, 43, 44, 45, 46, 47, 48, 49, 51,
  ]),
});

/**
 * Xtensa, `include/elf/xtensa.h` of binutils: differences, hints of the linker, and operands that are relative to their
 * instruction: branches, calls and loads of literals.
 */
const XTENSA = Object.freeze({
  address32: 1,
  relative: Object.freeze([0, 11, 12, 17, 18, 19, 20, 57, 58, 59, 60, 61, 62]),
});

/**
 * ELF for the Arm architecture, section 5.6 "Relocation": none, differences, calls, branches and offsets in tables of frames.
 */
const ARM = Object.freeze({
  absolute32: 2,
  relative: Object.freeze([0, 3, 10, 30, 42, 51, 102]),
});

/** On what `native` is, the machine that builds is also the one that runs it. */
export const NATIVE_TARGETS: Readonly<Record<VariantArchitecture, NativeTarget>> = Object.freeze({
  native: {
    machine: "x86_64",
    compiler: "gcc",
    installation: "on Debian and Ubuntu: sudo apt-get install gcc",
    flags: ["-fpie", "-m64", "-mno-red-zone", "-fcf-protection=none"],
    sources: ["frames.c"],
    areVariablesApart: false,
    addressRelocations: [X86_64.address64],
    relativeRelocations: [X86_64.pc32, X86_64.plt32],
  },
  rv32: {
    machine: "riscv32",
    compiler: "riscv64-unknown-elf-gcc",
    installation: "on Debian and Ubuntu: sudo apt-get install gcc-riscv64-unknown-elf",
    flags: [
      "-fpie",
      "-march=rv32imac",
      "-mabi=ilp32",
      "-mcmodel=medany",
      "-mno-relax",
      "-msmall-data-limit=0",
    ],
    sources: ["frames.c"],
    areVariablesApart: false,
    addressRelocations: [RISCV.address32],
    relativeRelocations: RISCV.relative,
  },
  xtensa: {
    machine: "xtensa",
    compiler: "xtensa-esp32-elf-gcc",
    installation: "it is among the tools of ESP-IDF: ./install.sh esp32, then . ./export.sh",
    // Chips before revision 3 need the workaround for their cache: apps have their memory in PSRAM.
    flags: ["-fno-pic", "-mfix-esp32-psram-cache-issue", "-Wl,--no-relax"],
    sources: ["frames.c"],
    areVariablesApart: true,
    addressRelocations: [XTENSA.address32],
    relativeRelocations: XTENSA.relative,
  },
  arm: {
    machine: "thumbv7m",
    compiler: "arm-none-eabi-gcc",
    installation: "on Debian and Ubuntu: sudo apt-get install gcc-arm-none-eabi",
    flags: [
      ...["-fpie", "-mthumb", "-march=armv7-m", "-mfloat-abi=soft"],
      // For frames-arm.c. gcc lets functions that neither return nor throw save nothing, so it must expect exceptions.
      ...["-funwind-tables", "-fexceptions"],
      "-Wl,--wrap=__aeabi_dadd,--wrap=__aeabi_dsub",
    ],
    sources: ["frames-arm.c", "numbers-arm.c"],
    areVariablesApart: false,
    addressRelocations: [ARM.absolute32],
    relativeRelocations: ARM.relative,
  },
});
