/**
 * Inflates a deflate stream (RFC 1951) with a window of 32 KiB and some 4 KiB of tables, for any chunking of the input
 * and any size of the output. ADR 5 explains why it does not use fflate.
 *
 * The window is also the output buffer: it is filled piece by piece, and each full piece is passed on. A step ends with
 * a full piece, so the caller can yield between steps.
 *
 * Accepts the same streams as zlib, the de facto standard: a code must be complete, except that a single distance or
 * literal code of one bit is allowed, and that there can be no distance codes.
 *
 * Between steps the inflater holds fewer bits than the next symbol needs, or fewer than 8. So bytes read beyond the end
 * of a step always belong to the current chunk, and are returned to it.
 */
import { Fault } from "../../../protocol/fault.js";
import {
  CODE_LENGTH_ORDER,
  CODE_LENGTHS,
  DISTANCE_BASE,
  DISTANCE_BITS,
  DISTANCES,
  END_OF_BLOCK,
  FIRST_LENGTH,
  HuffmanCode,
  LENGTH_BASE,
  LENGTH_BITS,
  LITERALS,
  MEANT_DISTANCES,
  MEANT_LITERALS,
  repeatBits,
} from "./huffman-code.js";

/** Maximum distance of a match (RFC 1951 §3.2.5), and so the amount of output to keep. */
export const WINDOW_BYTES = 32 * 1024;

/**
 * Output per piece: a sector of flash. It divides the window, so that no piece wraps around. A decompression bomb can
 * exceed the unpacking limit by at most one piece.
 */
export const PIECE_BYTES = 4096;

/** Part of the stream that is being read. */
type Phase =
  | "block"
  | "storedLength"
  | "stored"
  | "codeCounts"
  | "codeLengthLengths"
  | "codeLengths"
  | "codes"
  | "end";

const NO_BYTES = new Uint8Array(0);

export interface InflaterOptions {
  /**
   * Receives the next output: {@link PIECE_BYTES}, or fewer at the end of the stream. A view of the window, valid
   * during the call only.
   */
  readonly onOutput: (piece: Uint8Array) => void;
  /** Buffer of {@link WINDOW_BYTES}, for hosts with memory outside the heap. Allocated in the heap if left out. */
  readonly window?: Uint8Array;
}

export class Inflater {
  readonly #onOutput: (piece: Uint8Array) => void;
  readonly #window: Uint8Array;
  readonly #literals = new HuffmanCode(LITERALS);
  /** The distance code; while the head of a block is read, the code length code. */
  readonly #distances = new HuffmanCode(DISTANCES);
  readonly #lengths = new Uint8Array(LITERALS + DISTANCES);

  #phase: Phase = "block";
  #isLastBlock = false;
  #hasFixedCodes = false;

  /** The current chunk, how many of its bytes were read, and the bits read but not used. */
  #input: Uint8Array = NO_BYTES;
  #at = 0;
  #bits = 0;
  #bitCount = 0;

  /** Window offsets of the next byte and of the current piece, and whether the whole window has been filled once. */
  #position = 0;
  #pieceStart = 0;
  #isWindowFull = false;

  /** Bytes left to copy from a match or a stored block; and the distance of the match, 0 if not read yet. */
  #length = 0;
  #distance = 0;
  /** A distance symbol whose extra bits are not read yet; -1 if there is none. */
  #distanceSymbol = -1;

  #literalCount = 0;
  #distanceCount = 0;
  #codeLengthCount = 0;
  /** Number of code lengths read so far. */
  #lengthCount = 0;

  /** @throws {RangeError} for a window of another size */
  constructor({ onOutput, window = new Uint8Array(WINDOW_BYTES) }: InflaterOptions) {
    if (window.length !== WINDOW_BYTES) throw new RangeError(`A window has ${WINDOW_BYTES} bytes`);
    this.#onOutput = onOutput;
    this.#window = window;
  }

  /** Whether the last block has ended and all output has been passed on. */
  get isComplete(): boolean {
    return this.#phase === "end";
  }

  /**
   * Inflate until the chunk is used up, a piece of output has been passed on, or the head of a block has been read.
   * @returns how many bytes of `chunk` were consumed; pass the others again
   * @throws {Fault} `package_invalid` for an invalid deflate stream; the inflater is unusable then
   */
  take(chunk: Uint8Array): number {
    this.#input = chunk;
    this.#at = 0;
    while (this.#advance());
    this.#input = NO_BYTES;
    return this.#at;
  }

  /** Prepare for another stream, which cannot refer to output of this one. */
  reset(): void {
    this.#phase = "block";
    this.#bits = 0;
    this.#bitCount = 0;
    this.#position = 0;
    this.#pieceStart = 0;
    this.#isWindowFull = false;
    this.#length = 0;
    this.#distance = 0;
    this.#distanceSymbol = -1;
  }

  /** Run the current phase as far as the input allows. @returns whether the step continues */
  #advance(): boolean {
    switch (this.#phase) {
      case "block":
        return this.#readBlockHead();
      case "storedLength":
        return this.#readStoredLength();
      case "stored":
        return this.#copyStored();
      case "codeCounts":
        return this.#readCodeCounts();
      case "codeLengthLengths":
        return this.#readCodeLengthLengths();
      case "codeLengths":
        return this.#readCodeLengths();
      case "codes":
        return this.#inflateCodes();
      case "end":
        return false;
      default:
        return this.#phase satisfies never;
    }
  }

  #readBlockHead(): boolean {
    if (!this.#need(3)) return false;
    const head = this.#takeBits(3);
    this.#isLastBlock = (head & 1) !== 0;
    switch (head >> 1) {
      case 0:
        this.#dropBits(this.#bitCount & 7);
        this.#phase = "storedLength";
        return true;
      case 1:
        this.#useFixedCodes();
        this.#phase = "codes";
        return true;
      case 2:
        this.#phase = "codeCounts";
        return true;
      default:
        throw damaged("a block is of a type that does not exist");
    }
  }

  /** Read the length and its complement, 16 bits each, separately: 32 bits do not fit beside the bits already held. */
  #readStoredLength(): boolean {
    if (this.#length === 0) {
      if (!this.#need(16)) return false;
      this.#length = this.#takeBits(16) + 1; // plus 1, since 0 means not read yet
    }
    if (!this.#need(16)) return false;
    this.#length--;
    if (this.#takeBits(16) !== (this.#length ^ 0xffff))
      throw damaged("the length of a stored block does not match its complement");
    this.#giveBackBytes();
    this.#phase = "stored";
    return true;
  }

  #copyStored(): boolean {
    const length = Math.min(
      this.#length,
      this.#input.length - this.#at,
      this.#pieceStart + PIECE_BYTES - this.#position,
    );
    this.#window.set(this.#input.subarray(this.#at, this.#at + length), this.#position);
    this.#at += length;
    this.#position += length;
    this.#length -= length;
    if (this.#length === 0) this.#endBlock();
    if (this.#isPieceFull) return this.#endStep();
    return this.#phase !== "stored";
  }

  #readCodeCounts(): boolean {
    if (!this.#need(14)) return false;
    this.#literalCount = FIRST_LENGTH + this.#takeBits(5);
    this.#distanceCount = 1 + this.#takeBits(5);
    this.#codeLengthCount = 4 + this.#takeBits(4);
    if (this.#literalCount > MEANT_LITERALS || this.#distanceCount > MEANT_DISTANCES)
      throw damaged("a block has more codes than there are symbols");
    this.#lengths.fill(0, 0, CODE_LENGTHS);
    this.#lengthCount = 0;
    this.#phase = "codeLengthLengths";
    return true;
  }

  #readCodeLengthLengths(): boolean {
    while (this.#lengthCount < this.#codeLengthCount) {
      if (!this.#need(3)) return false;
      this.#lengths[CODE_LENGTH_ORDER[this.#lengthCount++] as number] = this.#takeBits(3);
    }
    if (this.#distances.build(this.#lengths.subarray(0, CODE_LENGTHS)) !== "complete")
      throw damaged("the code of a block's code lengths is none");
    this.#lengthCount = 0;
    this.#phase = "codeLengths";
    return true;
  }

  #readCodeLengths(): boolean {
    const total = this.#literalCount + this.#distanceCount;
    const { table } = this.#distances;
    while (this.#lengthCount < total) {
      this.#need(14); // the longest code (7) and its extra bits (7), if available
      const entry = table[this.#bits & (table.length - 1)] as number;
      const symbol = entry >> 4;
      const bits = (entry & 15) + repeatBits(symbol);
      if (bits > this.#bitCount) return false;
      this.#dropBits(entry & 15);
      if (symbol < 16) this.#lengths[this.#lengthCount++] = symbol;
      else this.#repeatLength(symbol, total);
    }
    this.#buildCodes(total);
    this.#hasFixedCodes = false;
    this.#phase = "codes";
    return this.#endStep(); // building codes is much work for few input bytes
  }

  #repeatLength(symbol: number, total: number): void {
    const start = this.#lengthCount;
    if (symbol === 16 && start === 0) throw damaged("a code length is to be repeated before there is one");
    const value = symbol === 16 ? (this.#lengths[start - 1] as number) : 0;
    const end = start + (symbol === 18 ? 11 : 3) + this.#takeBits(repeatBits(symbol));
    if (end > total) throw damaged("a block has more code lengths than codes");
    this.#lengths.fill(value, start, end);
    this.#lengthCount = end;
  }

  #buildCodes(total: number): void {
    if (this.#lengths[END_OF_BLOCK] === 0) throw damaged("a block has no code for its end");
    const literals = this.#literals.build(this.#lengths.subarray(0, this.#literalCount));
    if (literals !== "complete" && literals !== "single")
      throw damaged(`the code of a block's literals and lengths is ${literals}`);
    const distances = this.#distances.build(this.#lengths.subarray(this.#literalCount, total));
    if (distances === "incomplete" || distances === "oversubscribed")
      throw damaged(`the code of a block's distances is ${distances}`);
  }

  #useFixedCodes(): void {
    if (this.#hasFixedCodes) return;
    const lengths = this.#lengths;
    lengths.fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280, LITERALS);
    this.#literals.build(lengths.subarray(0, LITERALS));
    this.#distances.build(lengths.subarray(LITERALS).fill(5));
    this.#hasFixedCodes = true;
  }

  /**
   * The hot loop: literals and matches until the end of the block, the piece or the chunk. It is one long function with
   * repeated code, and keeps fields in local variables, because on XS a call or a field access costs more than the work
   * between. It holds at most 30 bits, and consumes nothing of a symbol if bits of it are missing.
   */
  #inflateCodes(): boolean {
    const input = this.#input;
    const end = input.length;
    const window = this.#window;
    const literals = this.#literals.table;
    const distances = this.#distances.table;
    const mask = literals.length - 1;
    const pieceEnd = this.#pieceStart + PIECE_BYTES;
    let at = this.#at;
    let bits = this.#bits;
    let count = this.#bitCount;
    let position = this.#position;
    let length = this.#length;
    let distance = this.#distance;
    let distanceSymbol = this.#distanceSymbol;
    let entry = 0;
    let codeBits = 0;
    let isEndOfBlock = false;

    while (position < pieceEnd) {
      if (length === 0) {
        if (count < 15) {
          if (at + 1 < end) {
            bits |= ((input[at] as number) | ((input[at + 1] as number) << 8)) << count;
            at += 2;
            count += 16;
          } else if (at < end) {
            bits |= (input[at++] as number) << count;
            count += 8;
          }
        }
        entry = literals[bits & mask] as number;
        codeBits = entry & 15;
        if (codeBits === 0) {
          entry = this.#literals.longEntry(entry, bits, count);
          codeBits = entry & 15;
          if (codeBits === 0) {
            if (count < 15) break;
            throw damaged("there is no such literal or length");
          }
        }
        if (codeBits > count) break;
        entry >>= 4;
        if (entry < END_OF_BLOCK) {
          bits >>>= codeBits;
          count -= codeBits;
          window[position++] = entry;
          continue;
        }
        if (entry === END_OF_BLOCK) {
          bits >>>= codeBits;
          count -= codeBits;
          isEndOfBlock = true;
          break;
        }
        if (entry >= MEANT_LITERALS) throw damaged("there is no such length");
        entry -= FIRST_LENGTH;
        const added = LENGTH_BITS[entry] as number;
        if (codeBits + added > count) {
          if (at < end) {
            bits |= (input[at++] as number) << count;
            count += 8;
          }
          if (codeBits + added > count) break;
        }
        bits >>>= codeBits;
        length = (LENGTH_BASE[entry] as number) + (bits & ((1 << added) - 1));
        bits >>>= added;
        count -= codeBits + added;
      }
      if (distance === 0) {
        if (distanceSymbol < 0) {
          if (count < 15) {
            if (at + 1 < end) {
              bits |= ((input[at] as number) | ((input[at + 1] as number) << 8)) << count;
              at += 2;
              count += 16;
            } else if (at < end) {
              bits |= (input[at++] as number) << count;
              count += 8;
            }
          }
          entry = distances[bits & mask] as number;
          codeBits = entry & 15;
          if (codeBits === 0) {
            entry = this.#distances.longEntry(entry, bits, count);
            codeBits = entry & 15;
            if (codeBits === 0) {
              if (count < 15) break;
              throw damaged("there is no such distance");
            }
          }
          if (codeBits > count) break;
          bits >>>= codeBits;
          count -= codeBits;
          distanceSymbol = entry >> 4;
          if (distanceSymbol >= MEANT_DISTANCES) throw damaged("there is no such distance");
        }
        const added = DISTANCE_BITS[distanceSymbol] as number;
        if (count < added) {
          if (at + 1 < end) {
            bits |= ((input[at] as number) | ((input[at + 1] as number) << 8)) << count;
            at += 2;
            count += 16;
          } else if (at < end) {
            bits |= (input[at++] as number) << count;
            count += 8;
          }
          if (count < added) break;
        }
        distance = (DISTANCE_BASE[distanceSymbol] as number) + (bits & ((1 << added) - 1));
        bits >>>= added;
        count -= added;
        distanceSymbol = -1;
        if (distance > position && !this.#isWindowFull)
          throw damaged("a match reaches back before the beginning");
      }
      let from = position - distance;
      if (from < 0) from += WINDOW_BYTES;
      const copied = Math.min(length, pieceEnd - position, WINDOW_BYTES - from);
      // Worth it even for three bytes: on XS a call is faster than three iterations of a loop.
      if (distance >= copied) window.copyWithin(position, from, from + copied);
      else repeat(window, position, distance, copied);
      position += copied;
      length -= copied;
      if (length === 0) distance = 0;
    }

    this.#at = at;
    this.#bits = bits;
    this.#bitCount = count;
    this.#position = position;
    this.#length = length;
    this.#distance = distance;
    this.#distanceSymbol = distanceSymbol;
    if (isEndOfBlock) this.#endBlock();
    if (this.#isPieceFull) return this.#endStep();
    return isEndOfBlock;
  }

  #endBlock(): void {
    this.#phase = this.#isLastBlock ? "end" : "block";
    if (!this.#isLastBlock) return;
    this.#giveBackBytes();
    if (this.#position > this.#pieceStart) this.#handOn();
  }

  get #isPieceFull(): boolean {
    return this.#position - this.#pieceStart === PIECE_BYTES;
  }

  /**
   * End the step, passing on the piece if it is full. @returns whether to continue nevertheless: true once the chunk is
   * used up, because the caller has no reason to call again, and the at most 7 bits left cause little more work
   */
  #endStep(): boolean {
    if (this.#isPieceFull) this.#handOn();
    this.#giveBackBytes();
    return this.#at === this.#input.length;
  }

  #handOn(): void {
    const piece = this.#window.subarray(this.#pieceStart, this.#position);
    if (this.#position === WINDOW_BYTES) {
      this.#position = 0;
      this.#isWindowFull = true;
    }
    this.#pieceStart = this.#position;
    this.#onOutput(piece);
  }

  /** Read bytes until `count` bits (at most 16) are available, and no more. @returns whether they are */
  #need(count: number): boolean {
    while (this.#bitCount < count && this.#at < this.#input.length) {
      this.#bits |= (this.#input[this.#at++] as number) << this.#bitCount;
      this.#bitCount += 8;
    }
    return this.#bitCount >= count;
  }

  #takeBits(count: number): number {
    const value = this.#bits & ((1 << count) - 1);
    this.#dropBits(count);
    return value;
  }

  #dropBits(count: number): void {
    this.#bits >>>= count;
    this.#bitCount -= count;
  }

  #giveBackBytes(): void {
    this.#at -= this.#bitCount >> 3;
    this.#bitCount &= 7;
    this.#bits &= (1 << this.#bitCount) - 1;
  }
}

/** Repeat the last `distance` bytes before `position`, doubling the copied length each time. */
function repeat(window: Uint8Array, position: number, distance: number, length: number): void {
  const from = position - distance;
  const end = position + length;
  let known = distance;
  for (let at = position; at < end; at += known, known += known)
    window.copyWithin(at, from, Math.min(from + known, from + end - at));
}

function damaged(reason: string): Fault {
  return new Fault("package_invalid", `Cannot inflate the package: ${reason}`);
}
