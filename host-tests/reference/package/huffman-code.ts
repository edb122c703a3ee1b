/**
 * A Huffman code of a deflate block (RFC 1951 §3.2.2), in memory that is reused for the code of the next block.
 *
 * Codes of up to {@link PRIMARY_BITS} bits, nearly all that occur, take one table look-up. Longer codes are found by
 * counting through the canonical order, in which codes of one length are consecutive numbers. A single table for codes
 * of 15 bits would be 64 KiB.
 *
 * A table entry is `symbol << 4 | length`. Length 0 means that the code is longer than the table's bits or does not
 * exist; the entry then contains the number of its prefix instead of a symbol.
 */

// The symbols of deflate and what they mean (RFC 1951 §3.2.5 to §3.2.7).

/** Numbers of symbols in the fixed codes: of literals, end of block and lengths; and of distances. */
export const LITERALS = 288;
export const DISTANCES = 32;
/** Symbols 286, 287 and distances 30, 31 only complete the fixed codes and are invalid in data (RFC 1951 §3.2.6). */
export const MEANT_LITERALS = 286;
export const MEANT_DISTANCES = 30;
/** Number of symbols in the code that encodes the lengths of the other codes. */
export const CODE_LENGTHS = 19;
export const END_OF_BLOCK = 256;
export const FIRST_LENGTH = 257;

/** Order in which the lengths of the code length code are stored (RFC 1951 §3.2.7). */
export const CODE_LENGTH_ORDER = Uint8Array.of(
  ...[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15],
);
/** Base value and number of extra bits per length or distance symbol (RFC 1951 §3.2.5). */
export const LENGTH_BASE = Uint16Array.of(
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163],
  ...[195, 227, 258],
);
export const LENGTH_BITS = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);
export const DISTANCE_BASE = Uint16Array.of(
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073],
  ...[4097, 6145, 8193, 12289, 16385, 24577],
);
export const DISTANCE_BITS = Uint8Array.of(
  ...[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13],
);

/** Number of extra bits that give the repeat count of a code length (RFC 1951 §3.2.7). */
export function repeatBits(symbol: number): number {
  if (symbol < 16) return 0;
  if (symbol === 16) return 2;
  return symbol === 17 ? 3 : 7;
}

/**
 * Index bits of the table, which then takes 1 KiB. On XS, inflating machine code takes a sixth longer with 8 bits and a
 * thirtieth less with 10.
 */
const PRIMARY_BITS = 9;

/** Longest code of deflate. */
const CODE_BITS = 15;

/** Whether code lengths form a code that deflate allows. */
type Completeness = "complete" | "empty" | "single" | "incomplete" | "oversubscribed";

export class HuffmanCode {
  /** Entries by the next {@link PRIMARY_BITS} bits of the stream, its first bit lowest. */
  readonly table = new Uint16Array(1 << PRIMARY_BITS);
  /** Number of codes of each length. */
  readonly #counts = new Uint16Array(CODE_BITS + 1);
  /** Index in `#symbols` of the first symbol of each length. */
  readonly #starts = new Uint16Array(CODE_BITS + 2);
  /** Symbols in the order of their codes. */
  readonly #symbols: Uint16Array;
  /** The first code of {@link PRIMARY_BITS} + 1 bits, as a number. */
  #firstLongCode = 0;

  /** @param symbolLimit maximum number of symbols passed to `build` */
  constructor(symbolLimit: number) {
    this.#symbols = new Uint16Array(symbolLimit);
  }

  /**
   * Build the code from the code length of each symbol; 0 for unused symbols.
   * @returns whether the code is usable; do not decode with an incomplete or oversubscribed one
   */
  build(lengths: Uint8Array): Completeness {
    this.#count(lengths);
    const completeness = this.#completeness(lengths.length);
    if (completeness === "oversubscribed" || completeness === "incomplete") return completeness;
    this.#sort(lengths);
    this.#fillTable();
    return completeness;
  }

  /**
   * Find the entry of a code that is longer than the table's bits.
   * @param prefix the table's entry for `bits`
   * @param bits the next bits of the stream, of which `count` are valid
   * @returns 0 if the first `count` bits do not contain a code
   */
  longEntry(prefix: number, bits: number, count: number): number {
    let code = prefix >> 4;
    let first = this.#firstLongCode;
    for (let length = PRIMARY_BITS + 1; length <= CODE_BITS && length <= count; length++) {
      code = (code << 1) | ((bits >>> (length - 1)) & 1);
      const codes = this.#counts[length] as number;
      if (code - first < codes) {
        const symbol = this.#symbols[(this.#starts[length] as number) + code - first] as number;
        return (symbol << 4) | length;
      }
      first = (first + codes) << 1;
    }
    return 0;
  }

  #count(lengths: Uint8Array): void {
    const counts = this.#counts.fill(0);
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      const length = lengths[symbol] as number;
      counts[length] = (counts[length] as number) + 1;
    }
  }

  #completeness(symbols: number): Completeness {
    const counts = this.#counts;
    if (counts[0] === symbols) return "empty";
    let left = 1;
    for (let length = 1; length <= CODE_BITS; length++) {
      left = (left << 1) - (counts[length] as number);
      if (left < 0) return "oversubscribed";
    }
    if (left === 0) return "complete";
    return counts[1] === 1 && counts[0] === symbols - 1 ? "single" : "incomplete";
  }

  #sort(lengths: Uint8Array): void {
    const counts = this.#counts;
    const next = this.#starts;
    next[1] = 0;
    for (let length = 1; length <= CODE_BITS; length++)
      next[length + 1] = (next[length] as number) + (counts[length] as number);
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      const length = lengths[symbol] as number;
      if (length === 0) continue;
      const place = next[length] as number;
      this.#symbols[place] = symbol;
      next[length] = place + 1;
    }
    // Each entry now has the start of the next length: shift them back.
    next.copyWithin(1, 0);
    next[1] = 0;
  }

  /**
   * Each code is written once, at the index given by its bits with the first bit lowest. For each further bit the table
   * is doubled by copying, since that bit does not matter to shorter codes.
   */
  #fillTable(): void {
    const table = this.table;
    let reversed = 0;
    let code = 0;
    let place = 0;
    table[0] = 0;
    for (let length = 1; length <= PRIMARY_BITS; length++) {
      table.copyWithin(1 << (length - 1), 0, 1 << (length - 1));
      code <<= 1;
      for (let left = this.#counts[length] as number; left > 0; left--) {
        table[reversed] = ((this.#symbols[place++] as number) << 4) | length;
        reversed = increment(reversed, length);
        code++;
      }
    }
    this.#firstLongCode = code << 1;
    for (; code < 1 << PRIMARY_BITS; code++) {
      table[reversed] = code << 4;
      reversed = increment(reversed, PRIMARY_BITS);
    }
  }
}

/** Add one to a bit-reversed number of `length` bits. */
function increment(reversed: number, length: number): number {
  let bit = 1 << (length - 1);
  while ((reversed & bit) !== 0) bit >>= 1;
  return bit === 0 ? 0 : (reversed & (bit - 1)) | bit;
}
