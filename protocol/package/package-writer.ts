/**
 * Writes app packages, for programs on Node and in browsers: the same members give the same bytes for every packer, at
 * any time, on any machine. Not for consoles: fflate needs more memory than they have (ADR 5).
 */

import { gzipSync } from "fflate";
import { VARIANT_ARCHITECTURES, type VariantArchitecture } from "../file-kind.js";
import { ICON_NAME } from "./icon.js";
import { MANIFEST_NAME, MODULE_NAME, variantName } from "./package-reader.js";
import { BLOCK_BYTES } from "./tar-header.js";

// Writes tar archives of plain files with short names (POSIX.1-2017 pax, "ustar Interchange Format").
// Nothing in them reveals who made them, when, or where: that keeps packages reproducible.

export interface TarFile {
  /** ASCII, up to 100 characters. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** Eleven octal digits. */
const SIZE_LIMIT_BYTES = 8 ** 11;
const NAME_LIMIT_BYTES = 100;

/** An archive of `files` in their order. @throws {RangeError} for a name or content that ustar cannot hold */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const blocks = files.reduce((sum, { content }) => sum + 1 + blocksOf(content), 2);
  const archive = new Uint8Array(blocks * BLOCK_BYTES);
  let at = 0;
  for (const { name, content } of files) {
    writeHeader(archive.subarray(at, at + BLOCK_BYTES), name, content.length);
    archive.set(content, at + BLOCK_BYTES);
    at += (1 + blocksOf(content)) * BLOCK_BYTES;
  }
  return archive;
}

function blocksOf(content: Uint8Array): number {
  return Math.ceil(content.length / BLOCK_BYTES);
}

function writeHeader(block: Uint8Array, name: string, byteLength: number): void {
  if (name.length > NAME_LIMIT_BYTES || byteLength >= SIZE_LIMIT_BYTES)
    throw new RangeError(`Cannot write "${name}" of ${byteLength} bytes as ustar`);
  write(block, 0, name);
  write(block, 100, "0000644\0"); // mode
  write(block, 108, "0000000\0"); // owner
  write(block, 116, "0000000\0"); // group
  write(block, 124, `${octal(byteLength, 11)}\0`);
  write(block, 136, "00000000000\0"); // time of the last change
  write(block, 148, "        "); // the checksum counts as spaces
  write(block, 156, "0"); // a plain file
  write(block, 257, "ustar\u000000");
  write(block, 148, `${octal(sum(block), 6)}\0 `);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function sum(block: Uint8Array): number {
  return block.reduce((total, byte) => total + byte, 0);
}

function write(block: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index++) block[at + index] = text.charCodeAt(index);
}

export interface PackageContents {
  /** The text of the manifest, as written to the package. */
  readonly manifest: Uint8Array;
  /** `app.wasm`: the module, or a native image in its place. */
  readonly module: Uint8Array;
  readonly icon?: Uint8Array;
  /** AOT variants, by what they are compiled for. */
  readonly variants?: Readonly<Partial<Record<VariantArchitecture, Uint8Array>>>;
}

/** Packages are written once and sent often. */
const LEVEL = 9;

/** The bytes of a `.svcpkg`. What is put into it is not checked; a reader does that. */
export function writePackage({ manifest, module, icon, variants = {} }: PackageContents): Uint8Array {
  const files: TarFile[] = [
    { name: MANIFEST_NAME, content: manifest }, // first, so that a reader of the manifest alone finds it early
    { name: MODULE_NAME, content: module },
  ];
  if (icon) files.push({ name: ICON_NAME, content: icon });
  for (const architecture of VARIANT_ARCHITECTURES) {
    const content = variants[architecture];
    if (content) files.push({ name: variantName(architecture), content });
  }
  return gzipSync(writeTar(files), { level: LEVEL, mtime: 0 });
}
