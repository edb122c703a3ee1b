/** Packages for tests: archives that no tar would write, and their result in a reader. */
import { gzipSync } from "node:zlib";
import { Fault } from "../../../../protocol/fault.js";
import { type PackageMember, PackageReader } from "../../../../protocol/package/package-reader.js";
import { cut, sandbox } from "./inflating.js";

export const BLOCK = 512;

export const ascii = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

export interface HeaderFields {
  readonly name?: string;
  readonly type?: string;
  /** Content of the size field, where it is not `byteLength` in octal. */
  readonly size?: string;
  readonly byteLength?: number;
  readonly magic?: string;
  readonly prefix?: string;
  readonly link?: string;
  /** Content of the checksum field, where it is not the right one. */
  readonly checksum?: string;
}

export function header(fields: HeaderFields): Uint8Array {
  const {
    name = "app.wasm",
    type = "0",
    byteLength = 0,
    magic = "ustar\x0000",
    prefix = "",
    link = "",
  } = fields;
  const block = new Uint8Array(BLOCK);
  block.set(ascii(name.slice(0, 100)));
  block.set(ascii("0000644\x000000000\x000000000\0"), 100);
  block.set(ascii(fields.size ?? `${byteLength.toString(8).padStart(11, "0")}\0`), 124);
  block.set(ascii("00000000000\0        "), 136);
  block.set(ascii(type), 156);
  block.set(ascii(link), 157);
  block.set(ascii(magic), 257);
  block.set(ascii(prefix), 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.set(ascii(fields.checksum ?? `${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return block;
}

/** A header, the content, and zeros up to the next block. */
export function member(fields: HeaderFields, content: Uint8Array | string = ""): Uint8Array {
  const bytes = typeof content === "string" ? ascii(content) : content;
  const padding = new Uint8Array(-bytes.length & (BLOCK - 1));
  return joined(header({ byteLength: bytes.length, ...fields }), bytes, padding);
}

export type PaxRecord = readonly [key: string, value: string];

/** Records of a pax extended header, with their lengths. */
export function records(...pairs: readonly PaxRecord[]): string {
  return pairs.map(([key, value]) => record(`${key}=${value}\n`)).join("");
}

function record(text: string): string {
  let length = text.length + 2;
  while (`${length} ${text}`.length !== length) length++;
  return `${length} ${text}`;
}

export const END = new Uint8Array(2 * BLOCK);
export const MODULE = member({ name: "app.wasm" }, "module");
export const MANIFEST = member({ name: "manifest.json" }, "{}");

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

export interface ReadMember {
  readonly member: PackageMember;
  readonly content: Uint8Array;
}

export interface ReadingOptions {
  readonly unpackedLimitBytes?: number;
  /** Sizes of the chunks; the last is repeated. */
  readonly sizes?: readonly number[];
}

/** The members of a package. @throws {Fault} `package_invalid`, `package_too_large` */
export function readPackage(
  bytes: Uint8Array,
  { unpackedLimitBytes = 1 << 20, sizes = [] }: ReadingOptions = {},
): ReadMember[] {
  const sink = new MemberList();
  const reader = new PackageReader({ unpackedLimitBytes, sandbox, sink });
  for (const chunk of cut(bytes, sizes)) reader.push(chunk);
  reader.end();
  return sink.members;
}

/** The members of an archive, which is gzipped for that. */
export function readArchive(archive: Uint8Array, options?: ReadingOptions): ReadMember[] {
  return readPackage(gzipSync(archive), options);
}

/** The fault of a rejected package, `undefined` for an accepted one. @throws any other error */
export function faultOf(read: () => unknown): Fault | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Holds its reader to the order of calls. */
class MemberList {
  readonly members: ReadMember[] = [];
  #member: PackageMember | undefined;
  #parts: Uint8Array[] = [];

  begin(member: PackageMember): void {
    if (this.#member) throw new Error("A member begins within another");
    this.#member = member;
    this.#parts = [];
  }

  write(bytes: Uint8Array): void {
    if (!this.#member || bytes.length === 0) throw new Error("There is nothing to write");
    this.#parts.push(bytes.slice());
  }

  end(): void {
    const content = joined(...this.#parts);
    if (this.#member?.byteLength !== content.length)
      throw new Error("A member has another length than was said");
    this.members.push({ member: this.#member, content });
    this.#member = undefined;
  }
}
