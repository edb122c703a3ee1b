/**
 * Reads an app package (`.svcpkg`, docs/spec/app-packages.md#package): a gzip-compressed tar archive with a fixed set
 * of members. Unpacks the bytes as they arrive, in a fixed amount of memory, and passes on each member's content.
 *
 * Checks run as early as possible, but treat the content as untrusted until `end` has returned: checksums come last,
 * and an invalid member can be the last one.
 */

import { Fault } from "../fault.js";
import { FileKindReader, VARIANT_ARCHITECTURES, type VariantArchitecture } from "../file-kind.js";
import { MANIFEST_LIMIT_BYTES } from "../manifest/manifest.js";
import type { Sandbox } from "../ports/sandbox.js";
import { GzipReader } from "./gzip-reader.js";
import { ICON_LIMIT_BYTES, ICON_NAME, IconReader } from "./icon.js";
import { type TarMember, TarReader, type TarSink } from "./tar-reader.js";

// The members that a package may have (docs/spec/app-packages.md#package).

/** A member of a package, with the bytes of its content. `module` is `app.wasm`, which may also be a native image. */
export type PackageMember =
  | { readonly kind: "module"; readonly byteLength: number }
  | { readonly kind: "manifest"; readonly byteLength: number }
  | { readonly kind: "icon"; readonly byteLength: number }
  | { readonly kind: "variant"; readonly architecture: VariantArchitecture; readonly byteLength: number };

export const MODULE_NAME = "app.wasm";
export const MANIFEST_NAME = "manifest.json";

/** The machine code that a module was compiled to ahead of time. */
export function variantName(architecture: VariantArchitecture): string {
  return `app.${architecture}.aot`;
}

/** What a member of this name is, or `undefined` where a package has none such. */
function packageMember(name: string, byteLength: number): PackageMember | undefined {
  switch (name) {
    case MODULE_NAME:
      return { kind: "module", byteLength };
    case MANIFEST_NAME:
      return { kind: "manifest", byteLength };
    case ICON_NAME:
      return { kind: "icon", byteLength };
    default: {
      const architecture = VARIANT_ARCHITECTURES.find((candidate) => variantName(candidate) === name);
      return architecture && { kind: "variant", architecture, byteLength };
    }
  }
}

// Lets through the members that a package has, and refuses the archive for any other: packages are one flat
// folder of plain files. What one program skips and the next one writes is how archives harm. Checks the icon here, and
// that an image alone is alone, so that every program that reads packages does.

/** Receives the members in the order of the package. The reader's `push` rethrows what it throws. */
export interface PackageSink {
  begin(member: PackageMember): void;
  /** The next bytes of the member begun last: a view that holds during the call only. */
  write(bytes: Uint8Array): void;
  end(): void;
}

const PLAIN_FILE = "0";
const REQUIRED = Object.freeze([MODULE_NAME, MANIFEST_NAME]);

export class MemberFilter implements TarSink {
  readonly #sink: PackageSink;
  readonly #limitBytes: number;
  readonly #names = new Set<string>();
  /** While the member is the icon. */
  #icon: IconReader | undefined;
  readonly #moduleKind = new FileKindReader();
  /** Whether the member is `app.wasm`. */
  #isModule = false;
  /** Name of the last AOT file. */
  #variant: string | undefined;

  /** @param limitBytes most that a member may have; manifest and icon have limits of their own */
  constructor(sink: PackageSink, limitBytes: number) {
    this.#sink = sink;
    this.#limitBytes = limitBytes;
  }

  begin({ name, type, byteLength }: TarMember): void {
    if (type !== PLAIN_FILE) throw refused(name, `is ${typeName(type)}, no plain file`);
    const member = packageMember(name, byteLength);
    if (!member) throw refused(name, reasonAgainst(name));
    if (this.#names.has(name)) throw refused(name, "is there twice");
    this.#names.add(name);
    this.#checkLength(name, member);
    if (member.kind === "icon") this.#icon = new IconReader();
    if (member.kind === "variant") this.#variant = name;
    this.#isModule = member.kind === "module";
    this.#sink.begin(member);
  }

  write(bytes: Uint8Array): void {
    this.#icon?.push(bytes);
    if (this.#isModule) this.#moduleKind.push(bytes);
    this.#sink.write(bytes);
  }

  /** @throws {Fault} `icon_invalid` */
  end(): void {
    this.#icon?.end();
    this.#icon = undefined;
    this.#sink.end();
  }

  /**
   * Whether `app.wasm` begins as an AOT file, so that the app has no module (docs/spec/aot.md#alone). Known once its member
   * has been written.
   */
  get isImageAlone(): boolean {
    return this.#moduleKind.kind === "variant";
  }

  /**
   * @throws {Fault} `package_invalid` when a member is missing that every package has, and for an AOT file beside an image
   *   alone
   */
  checkComplete(): void {
    const missing = REQUIRED.find((name) => !this.#names.has(name));
    if (missing !== undefined) throw refused(missing, "is missing");
    if (this.isImageAlone && this.#variant !== undefined)
      throw refused(this.#variant, "is beside an app.wasm of machine code");
  }

  #checkLength(name: string, { kind, byteLength }: PackageMember): void {
    const limit =
      kind === "manifest"
        ? MANIFEST_LIMIT_BYTES
        : kind === "icon"
          ? ICON_LIMIT_BYTES
          : Number.POSITIVE_INFINITY;
    if (byteLength > limit) throw refused(name, `has ${byteLength} bytes, and ${limit} are taken`);
    if (byteLength > this.#limitBytes)
      throw new Fault(
        "package_too_large",
        `Cannot accept the package: "${name}" has ${byteLength} bytes, the limit is ${this.#limitBytes}`,
        { details: { member: name } },
      );
  }
}

function reasonAgainst(name: string): string {
  if (name === "") return "is not a name";
  return name.includes("/") ? "is a path, and packages have no folders" : "is not a member of a package";
}

/** For a person (POSIX.1-2017 pax, "ustar Interchange Format", and GNU tar). */
function typeName(type: string): string {
  switch (type) {
    case "1":
      return "a link";
    case "2":
      return "a symbolic link";
    case "3":
    case "4":
      return "a device";
    case "5":
      return "a directory";
    case "6":
      return "a FIFO";
    case "S":
      return "a sparse file";
    default:
      return "of an unusual type";
  }
}

/** @param member as it may stand in a message, which members of tar archives are given as */
function refused(member: string, reason: string): Fault {
  return new Fault("package_invalid", `Cannot accept the package: "${member}" ${reason}`, {
    details: { member },
  });
}

interface PackageReaderOptions {
  /** Everything that is unpacked counts, headers and padding too. */
  readonly unpackedLimitBytes: number;
  readonly sandbox: Sandbox;
  readonly sink: PackageSink;
}

export class PackageReader {
  readonly #limitBytes: number;
  readonly #members: MemberFilter;
  readonly #tar: TarReader;
  readonly #gzip: GzipReader;
  #unpackedBytes = 0;

  /** @throws {Error} when no memory is left */
  constructor({ unpackedLimitBytes, sandbox, sink }: PackageReaderOptions) {
    this.#limitBytes = unpackedLimitBytes;
    this.#members = new MemberFilter(sink, unpackedLimitBytes);
    this.#tar = new TarReader(this.#members);
    this.#gzip = new GzipReader({ sandbox, onOutput: (piece) => this.#unpack(piece) });
  }

  /**
   * Takes the next bytes of the package.
   * @throws {Fault} `package_invalid`, with the name as `member` in its details where it is about one, `icon_invalid`,
   *   and `package_too_large` past the limit; the reader is unusable then
   */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) at += this.take(at === 0 ? chunk : chunk.subarray(at));
  }

  /**
   * Like {@link push}, but returns after 4 KiB of output, so that the caller can yield during a decompression bomb.
   * @returns how many bytes of `chunk` were consumed, possibly none; pass the others again
   */
  take(chunk: Uint8Array): number {
    return this.#gzip.take(chunk);
  }

  /** As {@link MemberFilter.isImageAlone}. */
  get isImageAlone(): boolean {
    return this.#members.isImageAlone;
  }

  /** @throws {Fault} `package_invalid` when the package is not whole, lacks what it must have, or has too much */
  end(): void {
    this.#gzip.end();
    this.#tar.end();
    this.#members.checkComplete();
  }

  /** Free the memory to inflate in. Can be called twice. */
  close(): void {
    this.#gzip.close();
  }

  #unpack(piece: Uint8Array): void {
    this.#unpackedBytes += piece.length;
    if (this.#unpackedBytes > this.#limitBytes)
      throw new Fault("package_too_large", `Cannot unpack a package to more than ${this.#limitBytes} bytes`);
    this.#tar.push(piece);
  }
}
