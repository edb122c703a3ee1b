/** The architectures that apps can be compiled for ahead of time, and what compiles for them. */
import type { ImageArchitecture } from "../../../hub/images/image-request.js";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";

export interface NativeTarget {
  /** As a console names what it runs (`Guest.machine`). */
  readonly machine: string;
  readonly compiler: string;
  /** Debian's package of the compiler. */
  readonly package: string;
  readonly flags: readonly string[];
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

/** On what `native` is, the machine that builds is also the one that runs it. */
export const NATIVE_TARGETS: Readonly<Partial<Record<VariantArchitecture, NativeTarget>>> = Object.freeze({
  native: {
    machine: "x86_64",
    compiler: "gcc",
    package: "gcc",
    flags: ["-m64", "-mno-red-zone", "-fcf-protection=none"],
    addressRelocations: [X86_64.address64],
    relativeRelocations: [X86_64.pc32, X86_64.plt32],
  },
  rv32: {
    machine: "riscv32",
    compiler: "riscv64-unknown-elf-gcc",
    package: "gcc-riscv64-unknown-elf",
    flags: ["-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany", "-mno-relax", "-msmall-data-limit=0"],
    addressRelocations: [RISCV.address32],
    relativeRelocations: RISCV.relative,
  },
} satisfies Record<ImageArchitecture, NativeTarget>);

export const NATIVE_ARCHITECTURES = Object.freeze(
  Object.keys(NATIVE_TARGETS),
) as readonly VariantArchitecture[];
