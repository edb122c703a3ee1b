/** Collects bytes in one buffer and passes them on in pieces of at most 1 KiB. */
import { minimum } from "./integer-math.js";

const PIECE_BYTES = 1024;

export class PieceWriter {
  /** Bytes written so far. */
  byteLength = 0;
  readonly #buffer = new Uint8Array(PIECE_BYTES);
  #length = 0;
  readonly #onPiece: (piece: Uint8Array) => void;

  /** @param onPiece receives a view that is valid only during the call */
  constructor(onPiece: (piece: Uint8Array) => void) {
    this.#onPiece = onPiece;
  }

  writeByte(byte: number): void {
    if (this.#length === PIECE_BYTES) this.flush();
    this.#buffer[this.#length++] = byte;
    this.byteLength++;
  }

  /** Writes `value` in LEB128 without padding. */
  writeUnsigned(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.writeByte((rest & 0x7f) | 0x80);
    this.writeByte(rest);
  }

  writeList(bytes: readonly number[]): void {
    for (let index = 0; index < bytes.length; index++) this.writeByte(bytes[index] as number);
  }

  /** Writes `bytes` from position `start` up to `end`. */
  write(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; ) {
      if (this.#length === PIECE_BYTES) this.flush();
      const count = minimum(end - at, PIECE_BYTES - this.#length);
      this.#buffer.set(bytes.subarray(at, at + count), this.#length);
      this.#length += count;
      at += count;
    }
    this.byteLength += end - start;
  }

  flush(): void {
    if (this.#length > 0) this.#onPiece(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }
}
