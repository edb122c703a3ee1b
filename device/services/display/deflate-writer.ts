/**
 * Compresses pixels (deflate, RFC 1951) into one buffer, in blocks of fixed Huffman codes and stored blocks.
 *
 * Literals come as RGB565: the loop over them looks up the codes of a component by its five or six bits, and never
 * stores its byte.
 */

// The fixed Huffman codes of deflate (RFC 1951 §3.2.6), stored bit-reversed, ready to be written from the lowest bit
// on: a code is sent from its highest bit, everything else from its lowest. A code and its length are one number, so
// that a lookup in a hot loop makes no object: `code | length << LENGTH_SHIFT`.

/** The longest code is a distance: 5 bits and 13 extra bits. */
const LENGTH_SHIFT = 18;
const CODE_MASK = (1 << LENGTH_SHIFT) - 1;

/** Shortest and longest match. */
const MATCH_MINIMUM_BYTES = 3;
const MATCH_LIMIT_BYTES = 258;

/** End of a block: symbol 256, seven zero bits. */
const END_OF_BLOCK_BITS = 7;

/** Codes of literals by their five or six bits, which are expanded to eight as a display does. */
const LITERALS_OF_5_BITS = literals(32, (value) => (value << 3) | (value >> 2));
const LITERALS_OF_6_BITS = literals(64, (value) => (value << 2) | (value >> 4));

/** The literal 0. */
const LITERAL_ZERO = literalOf(0);

/** Lengths of matches with their extra bits, from {@link MATCH_MINIMUM_BYTES} on. */
const MATCH_LENGTHS = matchLengths();

function literals(count: number, byteOf: (value: number) => number): readonly number[] {
  const codes: number[] = [];
  for (let value = 0; value < count; value++) codes.push(literalOf(byteOf(value)));
  return Object.freeze(codes);
}

function literalOf(byte: number): number {
  return byte < 144 ? packed(0x30 + byte, 8) : packed(0x190 + byte - 144, 9);
}

function matchLengths(): readonly number[] {
  const lengths: number[] = [];
  for (let excess = 0; excess < MATCH_LIMIT_BYTES - MATCH_MINIMUM_BYTES; excess++)
    lengths.push(matchLength(excess));
  lengths.push(lengthSymbol(285)); // the longest has its own symbol
  return Object.freeze(lengths);
}

function matchLength(excess: number): number {
  if (excess < 8) return lengthSymbol(257 + excess);
  // RFC 1951 §3.2.5: from here on four symbols for each power of two, with a bit more each time.
  const extraBits = 29 - Math.clz32(excess);
  const symbol = lengthSymbol(257 + 4 * extraBits + (excess >> extraBits));
  return withExtra(symbol, excess & ((1 << extraBits) - 1), extraBits);
}

/** Code of a match distance, with its extra bits. @param byteLength from 1 to 32768 */
export function matchDistance(byteLength: number): number {
  const excess = byteLength - 1;
  if (excess < 4) return packed(excess, 5);
  // Two symbols for each power of two.
  const extraBits = 30 - Math.clz32(excess);
  const symbol = 2 * extraBits + (excess >> extraBits);
  return withExtra(packed(symbol, 5), excess & ((1 << extraBits) - 1), extraBits);
}

function lengthSymbol(symbol: number): number {
  return symbol < 280 ? packed(symbol - 256, 7) : packed(0xc0 + symbol - 280, 8);
}

function withExtra(symbol: number, extra: number, extraBits: number): number {
  const length = symbol >> LENGTH_SHIFT;
  return (symbol & CODE_MASK) | (extra << length) | ((length + extraBits) << LENGTH_SHIFT);
}

function packed(code: number, length: number): number {
  return reversed(code, length) | (length << LENGTH_SHIFT);
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let index = 0; index < length; index++) bits |= ((code >> index) & 1) << (length - 1 - index);
  return bits;
}

/** First bits of a block: one for the last block, two for the type (RFC 1951 §3.2.3). */
const BLOCK_HEAD_BITS = 3;
const STORED = 0b000;
const FIXED = 0b010;
const LAST_FIXED = 0b011;
/** The length of a stored block, and its complement. */
const STORED_HEAD_BYTES = 4;

/** Upper limit in bytes of an encoded row of `width` pixels with any content, including the end of the stream. */
export function rowLimitBytes(width: number): number {
  // 27 bits per literal pixel; 8 bytes around a stored block of many pixels.
  return 4 * width + 16;
}

export class DeflateWriter {
  readonly #out: Uint8Array;
  #position = 0;
  /** Bits that do not fill a byte yet. */
  #bits = 0;
  #bitCount = 0;
  /** Whether a block of fixed codes is open. */
  #isOpen = false;

  /** @param out owned by the caller, who may empty it between two calls */
  constructor(out: Uint8Array) {
    this.#out = out;
  }

  /** Position of the next byte in `out`. */
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
      // Seven pending bits and nine for each component exceed the 32 bits of a shift.
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

  /** Writes bytes as a stored block: much faster, and shorter for many bytes. */
  stored(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#closeFixed();
    this.#putBits(STORED, BLOCK_HEAD_BITS);
    this.align();
    this.#out.set([length, length >> 8, ~length, ~length >> 8], this.#position);
    this.#out.set(bytes, this.#position + STORED_HEAD_BYTES);
    this.#position += STORED_HEAD_BYTES + length;
  }

  /** Ends the stream with an empty last block, at a byte boundary. */
  finish(): void {
    this.#closeFixed();
    this.#putBits(LAST_FIXED, BLOCK_HEAD_BITS);
    this.#putBits(0, END_OF_BLOCK_BITS);
    this.align();
  }

  /** Pads to a byte boundary. */
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

  /** Writes both codes at once if they fit into 31 bits with seven pending ones. */
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

/** Length of the next match: the longest that leaves enough bytes for another match. @param rest over the limit */
function nextMatch(rest: number): number {
  const isRestShort = rest - MATCH_LIMIT_BYTES < MATCH_MINIMUM_BYTES;
  return isRestShort ? MATCH_LIMIT_BYTES - MATCH_MINIMUM_BYTES : MATCH_LIMIT_BYTES;
}
