/**
 * Reads a name (binary format §5.2.4): a length and that many bytes of UTF-8. Keeps the first
 * {@link NAME_KEPT_BYTES} and hashes all of them.
 */

import { NAME_KEPT_BYTES, NAME_LIMIT_BYTES } from "../../../device/sandbox/validator/limits.js";
import type { ByteWindow } from "./byte-window.js";
import { minimum } from "./integer-math.js";
import { beyondLimit, invalid } from "./verdict.js";

/** Multipliers of the two 32-bit hashes. Both are FNV-like; the second adds bytes and starts from another basis. */
const FIRST_MULTIPLIER = 0x0100_0193;
const SECOND_MULTIPLIER = 0x85eb_ca6b;

export class NameReader {
  /** Length in bytes of the current or last name. */
  byteLength = 0;
  /** Offset in the module of the name's first byte. */
  start = 0;
  firstHash = 0;
  secondHash = 0;
  readonly #kept = new Uint8Array(NAME_KEPT_BYTES);
  /** Bytes not yet read, -1 before the length. */
  #left = -1;
  /** UTF-8 continuation bytes still expected, and the bounds of the next one (RFC 3629 §4). */
  #continuations = 0;
  #least = 0x80;
  #greatest = 0xbf;

  begin(): void {
    this.#left = -1;
  }

  /** Reads the available part of the name. @returns whether the name is complete */
  read(window: ByteWindow): boolean {
    if (this.#left < 0) {
      if (!window.isReady) return false;
      this.#beginBytes(window);
    }
    const count = minimum(this.#left, window.limit - window.position);
    this.#take(window, count);
    if (this.#left === 0) {
      if (this.#continuations > 0) throw invalid(window.offset, "a name is not UTF-8");
      return true;
    }
    if (window.isContainerSeen) throw window.cut();
    return false;
  }

  #beginBytes(window: ByteWindow): void {
    const { offset } = window;
    this.byteLength = window.readUnsigned();
    if (this.byteLength > NAME_LIMIT_BYTES)
      throw beyondLimit(offset, "NAME_LIMIT_BYTES", `a name is longer than ${NAME_LIMIT_BYTES} bytes`);
    this.#left = this.byteLength;
    this.start = window.offset;
    this.firstHash = 0x811c_9dc5;
    this.secondHash = 0x9747_b28c;
    this.#continuations = 0;
  }

  #take(window: ByteWindow, count: number): void {
    const { bytes } = window;
    let at = window.position;
    const end = at + count;
    let kept = this.byteLength - this.#left;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte >= 0x80 || this.#continuations > 0) this.#follow(byte, window.base + at);
      this.firstHash = Math.imul(this.firstHash ^ byte, FIRST_MULTIPLIER);
      this.secondHash = Math.imul(this.secondHash + byte + 1, SECOND_MULTIPLIER);
      if (kept < NAME_KEPT_BYTES) this.#kept[kept++] = byte;
      at++;
    }
    this.#left -= count;
    window.position = end;
  }

  /** Checks a byte of a multi-byte UTF-8 sequence. */
  #follow(byte: number, offset: number): void {
    if (this.#continuations > 0) {
      if (byte < this.#least || byte > this.#greatest) throw invalid(offset, "a name is not UTF-8");
      this.#continuations--;
      this.#least = 0x80;
      this.#greatest = 0xbf;
      return;
    }
    if (byte < 0xc2 || byte > 0xf4) throw invalid(offset, "a name is not UTF-8");
    this.#continuations = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#least = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#greatest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
  }

  /** Whether the name is `text`, which must be ASCII and at most {@link NAME_KEPT_BYTES} long. */
  is(text: string): boolean {
    return this.byteLength === text.length && this.startsWith(text);
  }

  startsWith(text: string): boolean {
    if (this.byteLength < text.length) return false;
    for (let index = 0; index < text.length; index++)
      if (this.#kept[index] !== text.charCodeAt(index)) return false;
    return true;
  }

  /** Byte `index` of the name, below {@link NAME_KEPT_BYTES}. */
  byteAt(index: number): number {
    return this.#kept[index] as number;
  }

  /** The name for import checks and messages. A name over {@link NAME_KEPT_BYTES} is cut and ends in `…`. */
  toString(): string {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      this.#kept.slice(0, Math.min(this.byteLength, NAME_KEPT_BYTES)),
    );
    return this.byteLength > NAME_KEPT_BYTES ? `${text}…` : text;
  }
}
