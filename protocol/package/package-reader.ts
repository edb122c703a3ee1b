/**
 * Reads an app package (`.svcpkg`, docs/spec/app-packages.md#package): a gzip-compressed tar archive with a fixed set
 * of members. Unpacks as the bytes come, in memory that nothing in them can change, and hands on each member's content.
 *
 * Checks are made as soon as they can be, but what was handed on is to be believed only once `end` has
 * returned: checksums come last, and so may a member that is not to be there.
 */

import { Fault } from "../fault.js";
import type { Crc32Constructor } from "../ports/digest.js";
import { GzipReader } from "./gzip-reader.js";
import { MemberFilter, type PackageSink } from "./member-filter.js";
import { TarReader } from "./tar-reader.js";

export type { PackageSink } from "./member-filter.js";
export type { PackageMember } from "./package-member.js";

export interface PackageReaderOptions {
  /** Everything that is unpacked counts, headers and padding too. */
  readonly unpackedLimitBytes: number;
  readonly Crc32: Crc32Constructor;
  readonly sink: PackageSink;
  /** 32 KiB to inflate in, for hosts that have memory outside of the heap. */
  readonly window?: Uint8Array;
}

export class PackageReader {
  readonly #limitBytes: number;
  readonly #members: MemberFilter;
  readonly #tar: TarReader;
  readonly #gzip: GzipReader;
  #unpackedBytes = 0;

  constructor({ unpackedLimitBytes, sink, ...options }: PackageReaderOptions) {
    this.#limitBytes = unpackedLimitBytes;
    this.#members = new MemberFilter(sink, unpackedLimitBytes);
    this.#tar = new TarReader(this.#members);
    this.#gzip = new GzipReader({ ...options, onOutput: (piece) => this.#unpack(piece) });
  }

  /**
   * Takes the next bytes of the package.
   * @throws {Fault} `package_invalid`, with the name as `member` in its details where it is about one, and
   *   `package_too_large` past the limit; the reader is unusable then
   */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) at += this.take(at === 0 ? chunk : chunk.subarray(at));
  }

  /**
   * The same, but ends once 4 KiB were unpacked, so that others get a turn while a bomb goes off.
   * @returns how many bytes of `chunk` were taken, perhaps none; the others are to be given again
   */
  take(chunk: Uint8Array): number {
    return this.#gzip.take(chunk);
  }

  /** @throws {Fault} `package_invalid` when the package is not whole, or lacks what it must have */
  end(): void {
    this.#gzip.end();
    this.#tar.end();
    this.#members.checkComplete();
  }

  #unpack(piece: Uint8Array): void {
    this.#unpackedBytes += piece.length;
    if (this.#unpackedBytes > this.#limitBytes)
      throw new Fault("package_too_large", `Cannot unpack a package to more than ${this.#limitBytes} bytes`);
    this.#tar.push(piece);
  }
}
