/**
 * Unpacks a gzip file (RFC 1952) as it arrives, within the memory of an {@link Inflater}.
 *
 * A file has one or more members, whose contents are concatenated (§2.2), as in gzip and zlib. Bytes after the last
 * member are rejected: gzip skips padding there, but a package must not contain bytes without a meaning.
 *
 * Header fields are checked where possible and otherwise skipped, since a package does not use names and times. The
 * CRC and length in the trailer are compared after all output has been passed on, so treat the output as untrusted
 * until `end` has returned.
 */

import { Fault } from "../../../protocol/fault.js";
import type { Crc32, Crc32Constructor } from "../../../protocol/ports/crypto.js";
import { Inflater, type InflaterOptions } from "./inflater.js";

/** Part of the member that comes next, in file order. The parts from `extraLength` to `headerCrc` depend on flags. */
type Phase = "header" | "extraLength" | "extra" | "name" | "comment" | "headerCrc" | "content" | "trailer";

/** ID1, ID2, CM, FLG, MTIME, XFL, OS (§2.3). */
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
/** ID1 and ID2 as a number. */
const MAGIC = 0x8b1f;
const METHOD_AT = 2;
const DEFLATE = 8;
const FLAGS_AT = 3;
/** Flags (§2.3.1); FTEXT is ignored. */
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED_FLAGS = 0xe0;

export interface GzipReaderOptions extends InflaterOptions {
  readonly Crc32: Crc32Constructor;
}

export class GzipReader {
  readonly #Crc32: Crc32Constructor;
  readonly #onOutput: (piece: Uint8Array) => void;
  readonly #inflater: Inflater;
  /** CRC-32 of the header, then of the content. */
  #crc: Crc32;
  #checksum = 0;
  /** Length of the content modulo 2^32, as ISIZE. */
  #byteLength = 0;

  #phase: Phase = "header";
  /** Bytes of the phase: how many are needed, how many have arrived, and the bytes themselves where they matter. */
  #needed = HEADER_BYTES;
  #length = 0;
  readonly #bytes = new Uint8Array(HEADER_BYTES);
  /** Flags of the header fields not read yet. */
  #flags = 0;
  #isFirst = true;

  constructor({ Crc32, onOutput, ...options }: GzipReaderOptions) {
    this.#Crc32 = Crc32;
    this.#onOutput = onOutput;
    this.#crc = new Crc32();
    this.#inflater = new Inflater({ ...options, onOutput: (piece) => this.#handOn(piece) });
  }

  /**
   * Process bytes until the chunk is used up or a piece of output has been passed on; can return earlier.
   * @returns how many bytes of `chunk` were consumed; pass the others again
   * @throws {Fault} `package_invalid` for invalid gzip; the reader is unusable then
   */
  take(chunk: Uint8Array): number {
    switch (this.#phase) {
      case "content":
        return this.#takeContent(chunk);
      case "name":
      case "comment":
        return this.#takeText(chunk);
      default:
        return this.#takeField(chunk);
    }
  }

  /** Signal the end of the file. @throws {Fault} `package_invalid` if it is incomplete */
  end(): void {
    if (this.#isFirst || this.#phase !== "header" || this.#length > 0) throw damaged("it ends too early");
  }

  #takeContent(chunk: Uint8Array): number {
    const taken = this.#inflater.take(chunk);
    if (this.#inflater.isComplete) this.#enter("trailer", TRAILER_BYTES);
    return taken;
  }

  #handOn(piece: Uint8Array): void {
    this.#checksum = this.#crc.checksum(piece);
    this.#byteLength = (this.#byteLength + piece.length) >>> 0;
    this.#onOutput(piece);
  }

  #takeText(chunk: Uint8Array): number {
    const end = chunk.indexOf(0);
    const taken = end < 0 ? chunk.length : end + 1;
    this.#checksum = this.#crc.checksum(chunk.subarray(0, taken));
    if (end >= 0) this.#enterNextField();
    return taken;
  }

  #takeField(chunk: Uint8Array): number {
    const taken = chunk.subarray(0, this.#needed - this.#length);
    if (this.#phase !== "extra") this.#bytes.set(taken, this.#length);
    if (this.#phase !== "headerCrc" && this.#phase !== "trailer") this.#checksum = this.#crc.checksum(taken);
    this.#length += taken.length;
    if (this.#length === this.#needed) this.#endField();
    return taken.length;
  }

  #endField(): void {
    switch (this.#phase) {
      case "header":
        this.#checkHeader();
        this.#enterNextField();
        break;
      case "extraLength":
        this.#enterExtra(this.#uint16(0));
        break;
      case "headerCrc":
        if (this.#uint16(0) !== (this.#checksum & 0xffff)) throw damaged("its header has another checksum");
        this.#enterNextField();
        break;
      case "trailer":
        this.#endMember();
        break;
      default:
        this.#enterNextField();
    }
  }

  #checkHeader(): void {
    if (this.#uint16(0) !== MAGIC)
      throw damaged(this.#isFirst ? "it is none" : "more bytes follow, which are not gzip");
    if (this.#bytes[METHOD_AT] !== DEFLATE) throw damaged("its compression method is not deflate");
    this.#flags = this.#bytes[FLAGS_AT] as number;
    if ((this.#flags & RESERVED_FLAGS) !== 0) throw damaged("its header has flags that do not exist");
  }

  #enterNextField(): void {
    if (this.#hasField(FEXTRA)) this.#enter("extraLength", 2);
    else if (this.#hasField(FNAME)) this.#enter("name", 0);
    else if (this.#hasField(FCOMMENT)) this.#enter("comment", 0);
    else if (this.#hasField(FHCRC)) this.#enter("headerCrc", 2);
    else this.#enterContent();
  }

  /** Whether this field comes next; clears its flag. */
  #hasField(flag: number): boolean {
    const hasField = (this.#flags & flag) !== 0;
    this.#flags &= ~flag;
    return hasField;
  }

  #enterExtra(byteLength: number): void {
    if (byteLength === 0) this.#enterNextField();
    else this.#enter("extra", byteLength);
  }

  #enterContent(): void {
    this.#crc = new this.#Crc32();
    this.#checksum = 0;
    this.#byteLength = 0;
    this.#inflater.reset();
    this.#enter("content", 0);
  }

  #endMember(): void {
    if (this.#uint32(0) !== this.#checksum) throw damaged("its content has another checksum");
    if (this.#uint32(4) !== this.#byteLength) throw damaged("its content has another length");
    this.#isFirst = false;
    this.#crc = new this.#Crc32();
    this.#enter("header", HEADER_BYTES);
  }

  #enter(phase: Phase, needed: number): void {
    this.#phase = phase;
    this.#needed = needed;
    this.#length = 0;
  }

  #uint16(at: number): number {
    return (this.#bytes[at] as number) | ((this.#bytes[at + 1] as number) << 8);
  }

  #uint32(at: number): number {
    return (this.#uint16(at) | (this.#uint16(at + 2) << 16)) >>> 0;
  }
}

function damaged(reason: string): Fault {
  return new Fault("package_invalid", `Cannot unpack the package as gzip: ${reason}`);
}
