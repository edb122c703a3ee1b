/**
 * Recognizes app files by their first bytes: the kind of the file, and the target architecture of an AOT file.
 */
import { Fault } from "./fault.js";

// Target architectures of an app's machine code (`target_arch`, docs/spec/app-packages.md#manifest-fields). `native` is
// the machine that runs the simulator.

/** Architectures of AOT files. */
export const VARIANT_ARCHITECTURES = Object.freeze(["xtensa", "arm", "rv32", "native"] as const);
export type VariantArchitecture = (typeof VARIANT_ARCHITECTURES)[number];

/** Architecture in a manifest. */
export type TargetArchitecture = VariantArchitecture | "generic";

export function isVariantArchitecture(name: string): name is VariantArchitecture {
  return (VARIANT_ARCHITECTURES as readonly string[]).includes(name);
}

export function isTargetArchitecture(name: string): name is TargetArchitecture {
  return name === "generic" || isVariantArchitecture(name);
}

// Target of an AOT file. AOT files have the layout of WAMR (WebAssembly Micro Runtime), little-endian: magic `\0aot`,
// version (4 bytes), then sections of type (4), length (4) and content. The first section is the target info, type 0:
// 36 bytes up to version 3, 48 bytes since. It ends with the name of the architecture, 16 bytes padded with zeros.

/** Bytes from the start of an AOT file that {@link readVariantArchitecture} needs. */
export const VARIANT_HEAD_BYTES = 64;

const SECTION_TYPE = 8;
const SECTION_LENGTH = 12;
const SECTION_CONTENT = 16;
const TARGET_INFO = 0;
const TARGET_INFO_BYTES: readonly number[] = Object.freeze([36, 48]);
const NAME_BYTES = 16;

/** Architectures by the prefix of the compiler's name for them (`xtensa`, `thumbv7em`, `x86_64` and so on). */
const ARCHITECTURES: readonly (readonly [prefix: string, architecture: VariantArchitecture])[] =
  Object.freeze([
    ["xtensa", "xtensa"],
    ["arm", "arm"],
    ["thumb", "arm"],
    ["riscv32", "rv32"],
    ["x86_64", "native"],
    ["i386", "native"],
    ["aarch64", "native"],
  ]);

/**
 * Read the target architecture of an AOT file (docs/spec/app-packages.md#aot).
 * @param head at least the first {@link VARIANT_HEAD_BYTES}, or the whole file if it is shorter
 * @throws {Fault} `variant_invalid` for an invalid AOT file, and for an architecture that no console has
 */
export function readVariantArchitecture(head: Uint8Array): VariantArchitecture {
  if (fileKindOf(head) !== "variant") throw invalid("it does not begin with \\0aot");
  if (head.length < SECTION_CONTENT) throw invalid("it ends within its first section");
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const byteLength = view.getUint32(SECTION_LENGTH, true);
  if (view.getUint32(SECTION_TYPE, true) !== TARGET_INFO || !TARGET_INFO_BYTES.includes(byteLength))
    throw invalid(`there is no target info at offset ${SECTION_TYPE}`);
  const end = SECTION_CONTENT + byteLength;
  if (head.length < end) throw invalid("it ends within its first section");
  return architectureOf(nameIn(head.subarray(end - NAME_BYTES, end)));
}

/**
 * Check that an AOT file is for the declared architecture.
 * @param architecture the file's declared target
 * @throws {Fault} `variant_invalid` as {@link readVariantArchitecture}, and for a file with another target
 */
export function requireVariantArchitecture(head: Uint8Array, architecture: VariantArchitecture): void {
  const found = readVariantArchitecture(head);
  if (found !== architecture)
    throw new Fault(
      "variant_invalid",
      `Cannot accept an AOT file for ${architecture}: it is made for ${found}`,
    );
}

function architectureOf(name: string): VariantArchitecture {
  for (const [prefix, architecture] of ARCHITECTURES) if (name.startsWith(prefix)) return architecture;
  throw invalid(`no console runs machine code for "${name}"`);
}

/** Printable ASCII up to the first zero byte or the end of `bytes`. */
function nameIn(bytes: Uint8Array): string {
  let name = "";
  for (const byte of bytes) {
    if (byte === 0) break;
    if (byte <= 0x20 || byte > 0x7e) throw invalid("the name of its architecture is not ASCII");
    name += String.fromCharCode(byte);
  }
  return name;
}

function invalid(reason: string): Fault {
  return new Fault("variant_invalid", `Cannot accept the AOT file: ${reason}`);
}

export type FileKind = "package" | "module" | "variant";

/** Bytes from the start of a file that {@link fileKindOf} needs. */
export const FILE_KIND_BYTES = 4;

const GZIP = Object.freeze([0x1f, 0x8b]);
const MODULE = Object.freeze([0x00, 0x61, 0x73, 0x6d]);
const VARIANT = Object.freeze([0x00, 0x61, 0x6f, 0x74]);

/** @returns `undefined` for any other file, and for too few bytes (docs/spec/app-packages.md#file-kinds) */
export function fileKindOf(start: Uint8Array): FileKind | undefined {
  if (startsWith(start, GZIP)) return "package";
  if (startsWith(start, MODULE)) return "module";
  return startsWith(start, VARIANT) ? "variant" : undefined;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

/** Tells the kind of a file whose first bytes may arrive one at a time. */
export class FileKindReader {
  readonly #head = new Uint8Array(FILE_KIND_BYTES);
  #length = 0;

  /** Takes the next bytes of the file. */
  push(bytes: Uint8Array): void {
    if (this.isDecided) return;
    const taken = bytes.subarray(0, FILE_KIND_BYTES - this.#length);
    this.#head.set(taken, this.#length);
    this.#length += taken.length;
  }

  /** Whether no further byte changes the kind. */
  get isDecided(): boolean {
    return this.#length === FILE_KIND_BYTES;
  }

  /** `undefined` for any other file, and until it is decided. */
  get kind(): FileKind | undefined {
    return this.isDecided ? fileKindOf(this.#head) : undefined;
  }
}
