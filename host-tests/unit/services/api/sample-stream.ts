/** A stream for tests: pieces as given, in one buffer that is used again, and what became of it. */
import type { ByteStream } from "../../../../device/services/api/request.js";

export class SampleStream implements ByteStream {
  readonly #pieces: readonly Uint8Array[];
  readonly #buffer: Uint8Array;
  /** Runs before each piece is given, with its index. */
  readonly #onNext: (index: number) => void;
  /** Pieces that were asked for. */
  asked = 0;
  closed = 0;

  constructor(pieces: readonly Uint8Array[], onNext: (index: number) => void = () => undefined) {
    this.#pieces = pieces;
    this.#buffer = new Uint8Array(Math.max(0, ...pieces.map(({ length }) => length)));
    this.#onNext = onNext;
  }

  /** Everything that it gives. */
  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  next(): Uint8Array | undefined {
    if (this.closed > 0) throw new Error("Cannot read a closed stream");
    this.#buffer.fill(0xee); // overwrites the previous piece, to expose readers that still use it
    this.#onNext(this.asked);
    const piece = this.#pieces[this.asked++];
    if (!piece) return undefined;
    this.#buffer.set(piece);
    return this.#buffer.subarray(0, piece.length);
  }

  close(): void {
    this.closed++;
  }
}

/** Pieces of these lengths with bytes that are all over the place, the same each time. */
export function pieces(lengths: readonly number[]): Uint8Array[] {
  let state = 7;
  return lengths.map((length) =>
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    }),
  );
}
