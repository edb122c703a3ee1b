/** Writes the container of a native image (`protocol/native-image.ts`). */
import {
  NATIVE_FORMAT as FORMAT,
  NATIVE_ABI_VERSION,
  NATIVE_DIGEST_BYTES,
  NATIVE_HEAD_BYTES,
  NATIVE_RELOCATION_OF_VARIABLE,
  type NativeHead,
  type NativeLayout,
  payloadByteLength,
} from "../../../protocol/native-image.js";

export interface NativeFunction {
  /** Offset of its first instruction. */
  readonly offset: number;
  /** Shown in the stack of a trap; empty for a function that is not the app's. */
  readonly name: string;
}

/** A word that holds an address. */
export interface NativeRelocation {
  /** Its offset. */
  readonly at: number;
  /** Whether the address is one of a variable that may be apart from the code. */
  readonly isOfVariable: boolean;
}

/** What a builder has made of a module. */
export interface NativeImage
  extends Pick<NativeHead, "machine" | "moduleSha256" | "preparedSha256" | "entry"> {
  readonly text: Uint8Array;
  readonly data: Uint8Array;
  readonly zeroByteLength: number;
  readonly relocations: readonly NativeRelocation[];
  /** In the order of their offsets. */
  readonly functions: readonly NativeFunction[];
  readonly entryOffset: number;
  readonly limitOffset: number;
  readonly frameBytes: number;
}

/**
 * Everything of the container but its digest, which the caller appends.
 * @throws {RangeError} for a machine or entry that does not fit
 */
export function encodeNativeImage(image: NativeImage): Uint8Array {
  const names = joinNames(image.functions);
  const layout: NativeLayout = {
    textByteLength: image.text.length,
    dataByteLength: image.data.length,
    zeroByteLength: image.zeroByteLength,
    relocationCount: image.relocations.length,
    functionCount: image.functions.length,
    namesByteLength: names.bytes.length,
    entryOffset: image.entryOffset,
    limitOffset: image.limitOffset,
    frameBytes: image.frameBytes,
  };
  const bytes = new Uint8Array(NATIVE_HEAD_BYTES + payloadByteLength(layout));
  const view = new DataView(bytes.buffer);
  const section = bytes.length + NATIVE_DIGEST_BYTES - FORMAT.abiAt;
  writeWords(view, 0, [FORMAT.magic, FORMAT.version, FORMAT.targetInfo, FORMAT.targetInfoBytes]);
  writeText(bytes, FORMAT.machineAt, FORMAT.machineBytes, image.machine);
  writeWords(view, FORMAT.sectionAt, [FORMAT.imageSection, section, NATIVE_ABI_VERSION]);
  bytes.set(bytesOf(image.moduleSha256), FORMAT.moduleAt);
  bytes.set(bytesOf(image.preparedSha256), FORMAT.preparedAt);
  writeText(bytes, FORMAT.entryAt, FORMAT.entryBytes, image.entry);
  writeWords(view, FORMAT.figuresAt, Object.values(layout));
  bytes.set(image.text, NATIVE_HEAD_BYTES);
  bytes.set(image.data, NATIVE_HEAD_BYTES + image.text.length);
  let at = NATIVE_HEAD_BYTES + image.text.length + image.data.length;
  at = writeWords(view, at, image.relocations.map(relocationWord));
  for (const [index, { offset }] of image.functions.entries())
    at = writeWords(view, at, [offset, names.offsets[index] as number]);
  bytes.set(names.bytes, at);
  return bytes;
}

function relocationWord({ at, isOfVariable }: NativeRelocation): number {
  if (at % 2 !== 0) throw new Error(`Cannot relocate an image: the place ${at} is not even`);
  return isOfVariable ? at | NATIVE_RELOCATION_OF_VARIABLE : at;
}

function joinNames(functions: readonly NativeFunction[]): { bytes: Uint8Array; offsets: number[] } {
  const encoder = new TextEncoder();
  const names = functions.map(({ name }) => encoder.encode(`${name}\0`));
  const bytes = new Uint8Array(names.reduce((sum, name) => sum + name.length, 0));
  const offsets: number[] = [];
  let at = 0;
  for (const name of names) {
    offsets.push(at);
    bytes.set(name, at);
    at += name.length;
  }
  return { bytes, offsets };
}

/** @returns where the next word belongs */
function writeWords(view: DataView, at: number, words: readonly number[]): number {
  for (const [index, word] of words.entries()) view.setUint32(at + 4 * index, word, true);
  return at + 4 * words.length;
}

function writeText(bytes: Uint8Array, at: number, room: number, text: string): void {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length > room) throw new RangeError(`"${text}" is over ${room} bytes`);
  bytes.set(encoded, at);
}

function bytesOf(hexadecimal: string): Uint8Array {
  const bytes = new Uint8Array(hexadecimal.length / 2);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(hexadecimal.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}
