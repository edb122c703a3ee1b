/**
 * Reads a name (binary format §5.2.4): a length and that many bytes of UTF-8, of which the first
 * {@link NAME_KEPT_BYTES} are kept and all go into a hash.
 */

import type { ByteWindow } from "./byte-window.js";
import { minimum } from "./integer-math.js";
import { NAME_KEPT_BYTES, NAME_LIMIT_BYTES } from "./limits.js";
import { beyondLimit, invalid } from "./verdict.js";

/** Two hashes of 32 bits: odd multipliers, the bytes added (as FNV, with another basis for the second). */
const FIRST_MULTIPLIER = 0x0100_0193;
const SECOND_MULTIPLIER = 0x85eb_ca6b;

export class NameReader {
  /** Bytes of the name that is being read or was read last. */
  byteLength = 0;
  /** Offset in the module of its first byte. */
  start = 0;
  firstHash = 0;
  secondHash = 0;
  readonly #kept = new Uint8Array(NAME_KEPT_BYTES);
  /** Bytes still to come, -1 before the length. */
  #left = -1;
  /** Continuation bytes still to come, and the bounds of the next (RFC 3629 §4). */
  #continuations = 0;
  #least = 0x80;
  #greatest = 0xbf;

  begin(): void {
    this.#left = -1;
  }

  /** Takes what can be seen of the name. @returns whether it is complete */
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

  /** Every byte but ASCII outside a sequence. */
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

  /** Whether the name is `text`, which is ASCII and shorter than what is kept. */
  is(text: string): boolean {
    return this.byteLength === text.length && this.startsWith(text);
  }

  startsWith(text: string): boolean {
    if (this.byteLength < text.length) return false;
    for (let index = 0; index < text.length; index++)
      if (this.#kept[index] !== text.charCodeAt(index)) return false;
    return true;
  }

  /** A kept byte of the name. */
  byteAt(index: number): number {
    return this.#kept[index] as number;
  }

  /** The name for policy and messages; a longer one than is kept ends in `…`. */
  toString(): string {
    const text = new TextDecoder().decode(this.#kept.slice(0, Math.min(this.byteLength, NAME_KEPT_BYTES)));
    return this.byteLength > NAME_KEPT_BYTES ? `${text}…` : text;
  }
}
