/**
 * The container of a native image: an app's module as machine code of one architecture (docs/spec/aot.md). It begins as AOT
 * files of WAMR do (`file-kind.ts`): consoles store both alike, and run only images.
 *
 *     \0aot, version ── target info ── head of the image ── code, data, relocations, functions, names ── SHA-256
 *
 * Little-endian. The digest finds damage; that the image may run is up to its signature.
 */
import { Fault } from "./fault.js";
import { readVariantArchitecture, type VariantArchitecture } from "./file-kind.js";
import { hexadecimal } from "./hexadecimal.js";
import type { Manifest } from "./manifest/manifest.js";
import type { Digest, DigestConstructor } from "./ports/crypto.js";

/** Changes with `device/wasm/native/native-image.h`, and with what the image relies on otherwise. */
export const NATIVE_ABI_VERSION = 1;

/** Words and places in the head. `version` is none of WAMR's. */
export const NATIVE_FORMAT = Object.freeze({
  magic: 0x746f_6100,
  version: 0x8000_0001,
  targetInfo: 0,
  targetInfoBytes: 36,
  machineAt: 36,
  machineBytes: 16,
  sectionAt: 52,
  imageSection: 0x8000_0000,
  abiAt: 60,
  moduleAt: 64,
  preparedAt: 96,
  entryAt: 128,
  entryBytes: 64,
  figuresAt: 192,
  figures: 9,
});

const FORMAT = NATIVE_FORMAT;
const SHA256_BYTES = 32;

/** Bytes from the start of a container to its code. */
export const NATIVE_HEAD_BYTES = FORMAT.figuresAt + 4 * FORMAT.figures;

/** Bytes of the digest at its end. */
export const NATIVE_DIGEST_BYTES = SHA256_BYTES;

/** The shortest; the loader knows those of its machine. */
const POINTER_BYTES = 4;
const FIGURE_LIMIT = 1 << 24;

/** Largest frame of a function: three of them are added to an app's stack (native/guest-thread.c). */
export const NATIVE_FRAME_LIMIT_BYTES = 16_384;

const RELOCATION_BYTES = 4;

/** The lowest bit of a relocation: its word holds the address of a variable (docs/spec/aot.md#relocations). */
export const NATIVE_RELOCATION_OF_VARIABLE = 1;
const FUNCTION_BYTES = 8;

/** Where an image's parts are and how large. Offsets are bytes from its first instruction. */
export interface NativeLayout {
  /** Code, and constants where variables follow it. */
  readonly textByteLength: number;
  /** Variables with a first value; they follow the code. */
  readonly dataByteLength: number;
  /** Variables without one, which follow those; not in the file. */
  readonly zeroByteLength: number;
  /** Words, by their offset, to which the address of the code or of the variables has to be added. */
  readonly relocationCount: number;
  /** Functions by offset, with the offset of a name each; for the stack of a trap. */
  readonly functionCount: number;
  /** Names, each ended by NUL. */
  readonly namesByteLength: number;
  readonly entryOffset: number;
  /** The variable by which the console interrupts the app. */
  readonly limitOffset: number;
  /** Largest frame of a function on the stack. */
  readonly frameBytes: number;
}

export interface NativeHead {
  /** What the code is for, as compilers name it: `x86_64`, `riscv32`, `xtensa`, `thumbv7m`. */
  readonly machine: string;
  readonly abiVersion: number;
  /** SHA-256 of the module that it was made from, in hexadecimal. */
  readonly moduleSha256: string;
  /** SHA-256 of that module as a console prepares and stores it, in hexadecimal. */
  readonly preparedSha256: string;
  /** Name of the export that runs as the app. */
  readonly entry: string;
  readonly layout: NativeLayout;
}

/** Bytes between head and digest. */
export function payloadByteLength(layout: NativeLayout): number {
  return (
    layout.textByteLength +
    layout.dataByteLength +
    layout.relocationCount * RELOCATION_BYTES +
    layout.functionCount * FUNCTION_BYTES +
    layout.namesByteLength
  );
}

/**
 * @param head the first {@link NATIVE_HEAD_BYTES} of a file
 * @param fileByteLength of the whole file
 * @throws {Fault} `variant_invalid` for a file that is no container, and for one that is longer or shorter than it says
 */
export function readNativeHead(head: Uint8Array, fileByteLength: number): NativeHead {
  if (head.length < NATIVE_HEAD_BYTES) throw invalid("it ends within its head");
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const word = (at: number) => view.getUint32(at, true);
  const isContainer =
    word(0) === FORMAT.magic &&
    word(4) === FORMAT.version &&
    word(8) === FORMAT.targetInfo &&
    word(12) === FORMAT.targetInfoBytes &&
    word(FORMAT.sectionAt) === FORMAT.imageSection;
  if (!isContainer) throw invalid("it is not a native image");
  const layout = readLayout(word);
  const byteLength = NATIVE_HEAD_BYTES + payloadByteLength(layout) + SHA256_BYTES;
  if (word(FORMAT.sectionAt + 4) !== byteLength - FORMAT.abiAt || byteLength !== fileByteLength)
    throw invalid(`it has ${fileByteLength} bytes instead of ${byteLength}`);
  return {
    machine: textIn(head, FORMAT.machineAt, FORMAT.machineBytes),
    abiVersion: word(FORMAT.abiAt),
    moduleSha256: hexadecimal(head.subarray(FORMAT.moduleAt, FORMAT.moduleAt + SHA256_BYTES)),
    preparedSha256: hexadecimal(head.subarray(FORMAT.preparedAt, FORMAT.preparedAt + SHA256_BYTES)),
    entry: textIn(head, FORMAT.entryAt, FORMAT.entryBytes),
    layout,
  };
}

// An image that is `app.wasm` of a package (docs/spec/aot.md#alone): nothing runs in its place, so whoever takes the package
// checks what otherwise is looked at when the app starts, as far as it can.

export interface ImageAlone extends NativeHead {
  /** That of the manifest. */
  readonly architecture: VariantArchitecture;
}

/**
 * @param head as of {@link readNativeHead}
 * @throws {Fault} `variant_invalid` as that does, and for an image of another architecture than `target_arch`;
 *   `entry_missing` for one with another entry
 */
export function readImageAlone(
  head: Uint8Array,
  fileByteLength: number,
  { entry, target_arch }: Pick<Manifest, "entry" | "target_arch">,
): ImageAlone {
  const image = readNativeHead(head, fileByteLength);
  const architecture = readVariantArchitecture(head);
  if (architecture !== target_arch)
    throw invalid(`it is made for ${architecture}, and target_arch is ${target_arch}`);
  if (image.entry !== entry)
    throw new Fault(
      "entry_missing",
      `The machine code starts at "${image.entry}", and the app at "${entry}"`,
    );
  return { ...image, architecture };
}

/** Checks the digest at the end of a container whose bytes come in pieces. */
export class NativeDigestCheck {
  readonly #digest: Digest;
  /** Bytes before the digest that have not come yet; below zero: bytes of the digest that have. */
  #left: number;
  readonly #stored = new Uint8Array(SHA256_BYTES);

  constructor(Digest: DigestConstructor, layout: NativeLayout) {
    this.#digest = new Digest("SHA256");
    this.#left = NATIVE_HEAD_BYTES + payloadByteLength(layout);
  }

  /** Takes the next bytes, at most those of the container. */
  push(bytes: Uint8Array): void {
    const covered = Math.min(bytes.length, Math.max(this.#left, 0));
    if (covered > 0) this.#digest.write(bytes.subarray(0, covered));
    if (covered < bytes.length) this.#stored.set(bytes.subarray(covered), Math.max(-this.#left, 0));
    this.#left -= bytes.length;
  }

  /** Whether all bytes have come, and the digest is theirs. To be called once. */
  holds(): boolean {
    const actual = new Uint8Array(this.#digest.close());
    return this.#left === -SHA256_BYTES && actual.every((byte, at) => byte === this.#stored[at]);
  }

  /** @throws {Fault} `variant_invalid` unless it {@link holds} */
  require(): void {
    if (!this.holds()) throw invalid("its digest does not hold");
  }
}

function readLayout(word: (at: number) => number): NativeLayout {
  const figure = (index: number) => word(FORMAT.figuresAt + 4 * index);
  const layout = {
    textByteLength: figure(0),
    dataByteLength: figure(1),
    zeroByteLength: figure(2),
    relocationCount: figure(3),
    functionCount: figure(4),
    namesByteLength: figure(5),
    entryOffset: figure(6),
    limitOffset: figure(7),
    frameBytes: figure(8),
  };
  const { textByteLength, dataByteLength, zeroByteLength, entryOffset, limitOffset, frameBytes } = layout;
  if (Object.values(layout).some((value) => value > FIGURE_LIMIT)) throw invalid("it is over 16 MiB");
  if (frameBytes > NATIVE_FRAME_LIMIT_BYTES) throw invalid("its functions have too large frames");
  const end = textByteLength + dataByteLength + zeroByteLength;
  if (entryOffset >= textByteLength) throw invalid("its entry is outside of its code");
  if (limitOffset < textByteLength || limitOffset > end - POINTER_BYTES)
    throw invalid("its limit is outside of its variables");
  if (limitOffset % POINTER_BYTES !== 0) throw invalid("its limit is at no word");
  return layout;
}

function textIn(bytes: Uint8Array, at: number, length: number): string {
  let text = "";
  for (const byte of bytes.subarray(at, at + length)) {
    if (byte === 0) break;
    if (byte <= 0x20 || byte > 0x7e) throw invalid("a name in its head is not ASCII");
    text += String.fromCharCode(byte);
  }
  return text;
}

function invalid(reason: string): Fault {
  return new Fault("variant_invalid", `Cannot accept the AOT file: ${reason}`);
}
