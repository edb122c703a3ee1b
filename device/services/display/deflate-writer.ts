/**
 * Deflates (RFC 1951) pixels into one buffer, in blocks of fixed Huffman codes and stored blocks.
 *
 * Literals come as RGB565: the loop over them looks up the codes of a component by its five or six bits, and never
 * stores its byte.
 */
import {
  CODE_MASK,
  END_OF_BLOCK_BITS,
  LENGTH_SHIFT,
  LITERAL_ZERO,
  LITERALS_OF_5_BITS,
  LITERALS_OF_6_BITS,
  MATCH_LENGTHS,
  MATCH_LIMIT_BYTES,
  MATCH_MINIMUM_BYTES,
} from "./fixed-huffman.js";

/** First three bits of a block: whether it is the last one, then its type (RFC 1951 §3.2.3). */
const BLOCK_HEAD_BITS = 3;
const STORED = 0b000;
const FIXED = 0b010;
const LAST_FIXED = 0b011;
/** The length of a stored block, and its complement. */
const STORED_HEAD_BYTES = 4;

/** Upper limit in bytes of an encoded row of `width` pixels, with any content, and of the end. */
export function rowLimitBytes(width: number): number {
  // 27 bits for a literal pixel; 8 bytes around a stored block, which stands for many pixels.
  return 4 * width + 16;
}

export class DeflateWriter {
  readonly #out: Uint8Array;
  #position = 0;
  /** Bits that are not a whole byte yet. */
  #bits = 0;
  #bitCount = 0;
  /** Whether a block of fixed codes is open. */
  #isOpen = false;

  /** @param out belongs to the caller, who may empty it between two calls */
  constructor(out: Uint8Array) {
    this.#out = out;
  }

  /** Where the next byte goes. */
  get position(): number {
    return this.#position;
  }

  set position(position: number) {
    this.#position = position;
  }

  /**
   * Repeats bytes.
   * @param byteLength at least {@link MATCH_MINIMUM_BYTES}
   * @param distance one of `matchDistance`
   */
  match(byteLength: number, distance: number): void {
    if (!this.#isOpen) this.#openFixed();
    for (let rest = byteLength; rest > 0; ) {
      const length = rest <= MATCH_LIMIT_BYTES ? rest : nextMatch(rest);
      this.#putPair(MATCH_LENGTHS[length - MATCH_MINIMUM_BYTES] as number, distance);
      rest -= length;
    }
  }

  /** @param isRowStart whether the filter type of the row, 0, comes first */
  literals(pixels: Uint16Array, from: number, to: number, isRowStart: boolean): void {
    if (!this.#isOpen) this.#openFixed();
    if (isRowStart) this.#put(LITERAL_ZERO);
    const out = this.#out;
    let position = this.#position;
    let bits = this.#bits;
    let bitCount = this.#bitCount;
    for (let x = from; x < to; x++) {
      const pixel = pixels[x] as number;
      const red = LITERALS_OF_5_BITS[pixel >> 11] as number;
      const green = LITERALS_OF_6_BITS[(pixel >> 5) & 63] as number;
      const blue = LITERALS_OF_5_BITS[pixel & 31] as number;
      // Seven bits that wait, and nine for each component, are more than the 32 that can be shifted.
      bits |= (red & CODE_MASK) << bitCount;
      bitCount += red >> LENGTH_SHIFT;
      bits |= (green & CODE_MASK) << bitCount;
      bitCount += green >> LENGTH_SHIFT;
      for (; bitCount >= 8; bitCount -= 8) {
        out[position++] = bits;
        bits >>= 8;
      }
      bits |= (blue & CODE_MASK) << bitCount;
      bitCount += blue >> LENGTH_SHIFT;
      for (; bitCount >= 8; bitCount -= 8) {
        out[position++] = bits;
        bits >>= 8;
      }
    }
    this.#position = position;
    this.#bits = bits;
    this.#bitCount = bitCount;
  }

  /** The same as bytes, copied in one go: much quicker, and smaller where there are many. */
  stored(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#closeFixed();
    this.#putBits(STORED, BLOCK_HEAD_BITS);
    this.align();
    this.#out.set([length, length >> 8, ~length, ~length >> 8], this.#position);
    this.#out.set(bytes, this.#position + STORED_HEAD_BYTES);
    this.#position += STORED_HEAD_BYTES + length;
  }

  /** Ends the stream with an empty last block, at a byte's end. */
  finish(): void {
    this.#closeFixed();
    this.#putBits(LAST_FIXED, BLOCK_HEAD_BITS);
    this.#putBits(0, END_OF_BLOCK_BITS);
    this.align();
  }

  /** Fills the byte that was begun. */
  align(): void {
    if (this.#bitCount > 0) this.#putBits(0, 8 - this.#bitCount);
  }

  #openFixed(): void {
    this.#isOpen = true;
    this.#putBits(FIXED, BLOCK_HEAD_BITS);
  }

  #closeFixed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#putBits(0, END_OF_BLOCK_BITS);
  }

  /** Both in one go where they fit: seven bits that wait are there already, of 31. */
  #putPair(first: number, second: number): void {
    const firstLength = first >> LENGTH_SHIFT;
    const length = firstLength + (second >> LENGTH_SHIFT);
    if (length <= 24) this.#putBits((first & CODE_MASK) | ((second & CODE_MASK) << firstLength), length);
    else {
      this.#put(first);
      this.#put(second);
    }
  }

  #put(code: number): void {
    this.#putBits(code & CODE_MASK, code >> LENGTH_SHIFT);
  }

  #putBits(added: number, count: number): void {
    let bits = this.#bits | (added << this.#bitCount);
    let bitCount = this.#bitCount + count;
    for (; bitCount >= 8; bitCount -= 8) {
      this.#out[this.#position++] = bits;
      bits >>= 8;
    }
    this.#bits = bits;
    this.#bitCount = bitCount;
  }
}

/** As long as can be, but so that what is left is long enough for a match. @param rest over the limit */
function nextMatch(rest: number): number {
  const isRestShort = rest - MATCH_LIMIT_BYTES < MATCH_MINIMUM_BYTES;
  return isRestShort ? MATCH_LIMIT_BYTES - MATCH_MINIMUM_BYTES : MATCH_LIMIT_BYTES;
}
