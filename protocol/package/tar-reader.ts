/**
 * Reads a tar archive as it arrives: ustar, pax with extended headers, GNU tar's long names, and version 7. Passes the
 * name, type, size and content of each member to a sink, which decides which members to accept.
 *
 * An archive ends with two blocks of zeros, followed by nothing but zeros (tar fills a record of 10 KiB). An archive
 * without that end is rejected, since it can be truncated.
 */
import { Fault } from "../fault.js";
import {
  BLOCK_BYTES,
  isZero,
  memberName,
  readPaxRecords,
  readTarHeader,
  type TarHeader,
} from "./tar-header.js";

/**
 * Extended headers of one member: those that tar makes for the few names that are taken have some 100 bytes,
 * with attributes of a file system a few hundred. They are held in the heap while they are read.
 */
export const EXTENDED_HEADER_LIMIT_BYTES = 4096;

export interface TarMember {
  /** As it may stand in a message ({@link memberName}). */
  readonly name: string;
  /** The type as tar writes it: `0` is a plain file, `1` a link, `2` a symbolic one, `5` a directory. */
  readonly type: string;
  readonly byteLength: number;
}

/** Receives the members one after another. `push` rethrows what it throws. */
export interface TarSink {
  begin(member: TarMember): void;
  /** The next bytes of the member begun last. They are a view that holds during the call only. */
  write(bytes: Uint8Array): void;
  end(): void;
}

type Phase = "header" | "extended" | "content" | "padding" | "ended";

const ZERO_BLOCKS_AT_END = 2;
const NO_BYTES = new Uint8Array(0);

export class TarReader {
  readonly #sink: TarSink;
  #phase: Phase = "header";
  readonly #block = new Uint8Array(BLOCK_BYTES);
  /** Bytes of the header block, or of an extended header, that are there. */
  #length = 0;
  /** Bytes of the content, and of the padding after it, that are to come. */
  #contentBytes = 0;
  #paddingBytes = 0;
  #zeroBlocks = 0;

  /** Values from extended headers that override the next member's header block. */
  #name: Uint8Array | undefined;
  #byteLength: number | undefined;
  #isDescribed = false;
  /** The extended header that is being read, and its type. */
  #extended: Uint8Array = NO_BYTES;
  #extendedType = "";

  constructor(sink: TarSink) {
    this.#sink = sink;
  }

  /** @throws {Fault} `package_invalid` for an invalid archive; the reader is unusable then */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += this.#take(bytes.subarray(at));
  }

  /** @throws {Fault} `package_invalid` when the archive has not ended */
  end(): void {
    if (this.#phase !== "ended") throw damaged("it ends too early");
  }

  /** Takes what belongs to the phase, at least a byte. @returns how many bytes */
  #take(bytes: Uint8Array): number {
    switch (this.#phase) {
      case "header":
        return this.#takeHeader(bytes);
      case "extended":
        return this.#takeExtended(bytes);
      case "content":
        return this.#takeContent(bytes);
      case "padding":
        return this.#takePadding(bytes.length);
      case "ended":
        if (!isZero(bytes)) throw damaged("it goes on after its end");
        return bytes.length;
      default:
        return this.#phase satisfies never;
    }
  }

  #takeHeader(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, BLOCK_BYTES - this.#length);
    this.#block.set(taken, this.#length);
    this.#length += taken.length;
    if (this.#length === BLOCK_BYTES) this.#endBlock();
    return taken.length;
  }

  #endBlock(): void {
    this.#length = 0;
    if (isZero(this.#block)) {
      this.#endWithZeros();
      return;
    }
    if (this.#zeroBlocks > 0) throw damaged("it goes on after a block of zeros");
    const header = readTarHeader(this.#block);
    switch (header.type) {
      case "x": // of the next member
      case "g": // of all that follow
      case "L": // GNU tar: the next member's name
      case "K": // GNU tar: the name of what the next member links to
        this.#beginExtended(header);
        break;
      default:
        this.#beginMember(header);
    }
  }

  #endWithZeros(): void {
    if (this.#isDescribed) throw damaged("an extended header has no member");
    this.#zeroBlocks++;
    if (this.#zeroBlocks === ZERO_BLOCKS_AT_END) this.#phase = "ended";
  }

  #beginExtended({ type, byteLength }: TarHeader): void {
    if (byteLength > EXTENDED_HEADER_LIMIT_BYTES)
      throw damaged(
        `an extended header has ${byteLength} bytes, and ${EXTENDED_HEADER_LIMIT_BYTES} are taken`,
      );
    this.#extended = new Uint8Array(byteLength);
    this.#extendedType = type;
    this.#expect("extended", byteLength);
    if (byteLength === 0) this.#endExtended();
  }

  #takeExtended(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.#contentBytes);
    this.#extended.set(taken, this.#extended.length - this.#contentBytes);
    this.#contentBytes -= taken.length;
    if (this.#contentBytes === 0) this.#endExtended();
    return taken.length;
  }

  #endExtended(): void {
    const bytes = this.#extended;
    this.#extended = NO_BYTES;
    this.#endContent();
    if (this.#extendedType === "g") {
      checkGlobal(bytes);
      return;
    }
    this.#isDescribed = true;
    if (this.#extendedType === "L") this.#rename(upToZero(bytes));
    if (this.#extendedType === "x") {
      const { name, byteLength } = readPaxRecords(bytes);
      if (name) this.#rename(name);
      this.#byteLength = byteLength ?? this.#byteLength;
    }
  }

  /** Programs differ in which of two names holds, so there is no such member. */
  #rename(name: Uint8Array): void {
    if (this.#name) throw damaged(`a member is named "${memberName(this.#name)}" and "${memberName(name)}"`);
    this.#name = name;
  }

  #beginMember(header: TarHeader): void {
    const name = memberName(this.#name ?? header.name);
    const byteLength = this.#byteLength ?? header.byteLength;
    this.#name = undefined;
    this.#byteLength = undefined;
    this.#isDescribed = false;
    this.#sink.begin({ name, type: header.type, byteLength });
    this.#expect("content", byteLength);
    if (byteLength === 0) this.#endMember();
  }

  #takeContent(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.#contentBytes);
    this.#sink.write(taken);
    this.#contentBytes -= taken.length;
    if (this.#contentBytes === 0) this.#endMember();
    return taken.length;
  }

  #endMember(): void {
    this.#sink.end();
    this.#endContent();
  }

  #expect(phase: Phase, byteLength: number): void {
    this.#phase = phase;
    this.#contentBytes = byteLength;
    this.#paddingBytes = -byteLength & (BLOCK_BYTES - 1);
  }

  #endContent(): void {
    this.#phase = this.#paddingBytes > 0 ? "padding" : "header";
  }

  #takePadding(available: number): number {
    const taken = Math.min(available, this.#paddingBytes);
    this.#paddingBytes -= taken;
    if (this.#paddingBytes === 0) this.#phase = "header";
    return taken;
  }
}

/** A global header may say what it likes of times and owners, but all members cannot have one name or size. */
function checkGlobal(bytes: Uint8Array): void {
  const { name, byteLength } = readPaxRecords(bytes);
  if (name || byteLength !== undefined) throw damaged("a global header names a member or its size");
}

function upToZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function damaged(reason: string): Fault {
  return new Fault("package_invalid", `Cannot read the package as tar: ${reason}`);
}
