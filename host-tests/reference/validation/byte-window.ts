/**
 * A sliding view of a module that arrives in chunks of any size. A reader consumes bytes while `isReady`: then the
 * window holds at least the next {@link ATOM_LIMIT_BYTES}, or everything up to the end of the current container
 * (section or function body). The unread rest of a chunk is carried over, so that a reader never stops within a number.
 * Chunks are read in place; only the carried bytes are copied.
 */

import { ATOM_LIMIT_BYTES } from "../../../device/sandbox/validator/limits.js";
import { minimum } from "./integer-math.js";
import { invalid } from "./verdict.js";

export class ByteWindow {
  /** The available bytes; positions are indices in them. */
  bytes: Uint8Array;
  /** The next byte to read. */
  position = 0;
  /** Position at which reading must stop: the end of the available bytes or of the container, whichever is first. */
  limit = 0;
  /** Position at which the available bytes end. */
  end = 0;
  /** Offset in the module of `bytes[0]`. */
  base = 0;
  /** Offset in the module where the current container ends. */
  containerEnd = Number.POSITIVE_INFINITY;
  #isLast = false;
  #carriedLength = 0;
  readonly #carry = new Uint8Array(2 * ATOM_LIMIT_BYTES);

  constructor() {
    this.bytes = this.#carry;
  }

  /** Offset in the module of the next byte. */
  get offset(): number {
    return this.base + this.position;
  }

  /** Whether the next item is available in full. */
  get isReady(): boolean {
    return this.end - this.position >= ATOM_LIMIT_BYTES || this.isContainerSeen;
  }

  /** Whether the current container is available to its end. */
  get isContainerSeen(): boolean {
    return this.#isLast || this.containerEnd <= this.base + this.end;
  }

  /** An item that begins below this position is available in full. */
  get atomLimit(): number {
    return this.isContainerSeen ? this.limit : this.end - ATOM_LIMIT_BYTES + 1;
  }

  /** Sets where the current section or body ends. */
  enter(containerEnd: number): void {
    this.containerEnd = containerEnd;
    this.limit = minimum(this.end, containerEnd - this.base);
  }

  /**
   * Append `chunk` to the carried bytes and read.
   * @param read consumes as much as it can; called at most twice
   */
  feed(chunk: Uint8Array, read: () => void): void {
    let taken = 0;
    const carried = this.#carriedLength;
    if (carried > 0) {
      const added = minimum(chunk.length, ATOM_LIMIT_BYTES);
      this.#carry.set(added < chunk.length ? chunk.subarray(0, added) : chunk, carried);
      this.#show(this.#carry, 0, carried + added, this.base);
      read();
      if (this.position < carried) {
        this.#keep();
        return;
      }
      taken = this.position - carried;
    }
    this.#show(chunk, taken, chunk.length, this.base + this.position - taken);
    read();
    this.#keep();
  }

  /** Read the carried bytes, the last of the module. */
  finish(read: () => void): void {
    this.#isLast = true;
    this.#show(this.#carry, 0, this.#carriedLength, this.base);
    read();
  }

  #show(bytes: Uint8Array, position: number, end: number, base: number): void {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
    this.base = base;
    this.enter(this.containerEnd);
  }

  /** Carries the unread bytes: fewer than {@link ATOM_LIMIT_BYTES}, as the reader stopped for lack of bytes. */
  #keep(): void {
    const { bytes, position, end } = this;
    if (bytes === this.#carry) bytes.copyWithin(0, position, end);
    else this.#carry.set(bytes.subarray(position, end));
    this.#carriedLength = end - position;
    this.base += position;
    this.position = 0;
    this.bytes = this.#carry;
  }

  /** The next byte. */
  readByte(): number {
    const { position } = this;
    if (position >= this.limit) throw this.cut();
    this.position = position + 1;
    return this.bytes[position] as number;
  }

  /** Reads a `u32` in LEB128 (binary format §5.2.2): at most five bytes, and no bit past the 32nd. */
  readUnsigned(): number {
    const { position } = this;
    if (position >= this.limit) throw this.cut();
    let byte = this.bytes[position] as number;
    this.position = position + 1;
    if (byte < 0x80) return byte;
    const start = this.base + position;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = this.readByte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    byte = this.readByte();
    if (byte > 0x0f) throw invalid(start, "a number is longer than 32 bits");
    return value + byte * 0x1000_0000;
  }

  /** Reads an `i32` in signed LEB128. */
  readSigned32(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.readByte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value << (25 - shift)) >> (25 - shift);
    }
    const byte = this.readByte();
    if (byte > 0x0f && (byte < 0x78 || byte > 0x7f)) throw longNumber(this.offset, 32);
    if ((byte & 0x08) !== 0 ? byte < 0x78 : byte > 0x07) throw longNumber(this.offset, 32);
    return value | (byte << 28);
  }

  /** Skips an `i64` in signed LEB128; its value is unused. */
  skipSigned64(): void {
    for (let count = 0; count < 9; count++) if (this.readByte() < 0x80) return;
    const byte = this.readByte();
    if (byte !== 0 && byte !== 0x7f) throw longNumber(this.offset, 64);
  }

  /** Skips `byteLength` bytes. @throws {Fault} `module_invalid` if there are fewer */
  skip(byteLength: number): void {
    if (this.limit - this.position < byteLength) throw this.cut();
    this.position += byteLength;
  }

  /** Creates the fault for a module or container that ends too early. */
  cut(): Error {
    const isContainer = this.containerEnd <= this.base + this.end;
    return invalid(
      this.base + this.limit,
      isContainer ? "the section or function ends too early" : "the module ends too early",
    );
  }
}

function longNumber(offset: number, bits: number): Error {
  return invalid(offset - 1, `a number is longer than ${bits} bits`);
}
