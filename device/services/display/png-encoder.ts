/**
 * Encodes an RGB565 image as PNG (W3C PNG, third edition) with eight bits per component, piece by piece.
 *
 * Rows are not filtered. A run of pixels is encoded as a match with the row above or with the pixel before, whichever
 * is longer, so uniform areas, which apps mostly draw, take a few bytes per row. Other pixels are literals, many of
 * them in stored blocks. Every piece is one or more whole chunks of at most a few rows, so that it never blocks the
 * management VM for long.
 */
import type { Adler32, Adler32Constructor, Crc32Constructor } from "../../../protocol/ports/crypto.js";
import type { Snapshot } from "../../ports/display.js";
import { DeflateWriter, matchDistance, rowLimitBytes } from "./deflate-writer.js";

export interface PngEncoderOptions {
  readonly width: number;
  readonly height: number;
  /** Only read here; the caller closes it. */
  readonly picture: Pick<Snapshot, "readRow" | "readRgbRow">;
  readonly Crc32: Crc32Constructor;
  readonly Adler32: Adler32Constructor;
}

const PIXEL_BYTES = 3;
/** A value that no pixel has. */
const NO_PIXEL = -1;
/** Size of a piece unless a single row is longer: a heap of 128 KiB has room for a few. */
const PIECE_BYTES = 2048;
/** Most rows in a piece, which limits a call to 2 ms on a desktop for any image. */
const PIECE_ROWS = 8;
/** Fewest literal pixels for a stored block, which is faster, and not longer from 40 pixels on. */
const STORED_PIXELS = 16;

const SIGNATURE = Object.freeze([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const IHDR = Object.freeze([0x49, 0x48, 0x44, 0x52]);
const IDAT = Object.freeze([0x49, 0x44, 0x41, 0x54]);
const IEND = Object.freeze([0x49, 0x45, 0x4e, 0x44]);
/** Eight bits a component, RGB; deflate, the five filters, not interlaced. */
const FORMAT = Object.freeze([8, 2, 0, 0, 0]);
/** zlib header (RFC 1950 §2.2): deflate with a window of 32 KiB, fastest compression. */
const ZLIB_HEAD = Object.freeze([0x78, 0x01]);

const CHUNK_HEAD_BYTES = 8;
/** Bytes of a piece besides its rows: signature, IHDR, chunk headers and CRCs, the ends of zlib and PNG. */
const OVERHEAD_BYTES = 80;

export class PngEncoder {
  readonly #options: PngEncoderOptions;
  readonly #adler: Adler32;
  readonly #piece: Uint8Array;
  readonly #deflate: DeflateWriter;
  /** The last row that differed from the one above, in PNG form: filter type 0, then the pixels. */
  readonly #scanline: Uint8Array;
  readonly #rowLimitBytes: number;
  readonly #aboveDistance: number;
  readonly #beforeDistance = matchDistance(PIXEL_BYTES);
  #row: Row;
  #rowAbove: Row;
  #y = 0;
  #checksum = 0;

  constructor(options: PngEncoderOptions) {
    const { width, Adler32 } = options;
    this.#options = options;
    this.#adler = new Adler32();
    this.#scanline = new Uint8Array(1 + width * PIXEL_BYTES);
    this.#rowLimitBytes = rowLimitBytes(width);
    this.#aboveDistance = matchDistance(this.#scanline.length);
    this.#piece = new Uint8Array(Math.max(PIECE_BYTES, this.#rowLimitBytes + OVERHEAD_BYTES));
    this.#deflate = new DeflateWriter(this.#piece);
    this.#row = new Row(width);
    this.#rowAbove = new Row(width);
  }

  /** The next piece, valid until the next call; `undefined` after the last. */
  next(): Uint8Array | undefined {
    if (this.#y === this.#options.height) return undefined;
    const isFirst = this.#y === 0;
    const start = isFirst ? this.#writeHeader() : 0;
    const dataStart = start + CHUNK_HEAD_BYTES;
    this.#deflate.position = isFirst ? this.#write(dataStart, ZLIB_HEAD) : dataStart;
    this.#encodeRows();
    const isLast = this.#y === this.#options.height;
    const end = this.#writeChunk(start, IDAT, isLast ? this.#finishData() : this.#deflate.position);
    return this.#piece.subarray(0, isLast ? this.#writeChunk(end, IEND, end + CHUNK_HEAD_BYTES) : end);
  }

  #encodeRows(): void {
    const limit = this.#piece.length - OVERHEAD_BYTES - this.#rowLimitBytes;
    const endY = Math.min(this.#y + PIECE_ROWS, this.#options.height);
    do this.#encodeRow();
    while (this.#y < endY && this.#deflate.position <= limit);
  }

  #encodeRow(): void {
    const y = this.#y++;
    [this.#row, this.#rowAbove] = [this.#rowAbove, this.#row];
    const { bytes, pixels } = this.#row;
    this.#options.picture.readRow(y, bytes);
    const above = this.#rowAbove.pixels;
    if (y === 0) makeDifferent(above, pixels);
    if (matchEnd(pixels, above, 0) === pixels.length)
      this.#deflate.match(this.#scanline.length, this.#aboveDistance);
    else {
      this.#options.picture.readRgbRow(y, this.#scanline.subarray(1));
      this.#encodePixels(pixels, above);
    }
    this.#checksum = this.#adler.checksum(this.#scanline);
  }

  /** Encodes the longer of both matches, if any; pixels between matches are literals. */
  #encodePixels(pixels: Uint16Array, above: Uint16Array): void {
    const { length } = pixels;
    let literalsFrom = 0;
    let before = NO_PIXEL;
    for (let x = 0; x < length; ) {
      const pixel = pixels[x] as number;
      if (pixel !== before && pixel !== above[x]) {
        before = pixel;
        x++;
      } else {
        this.#encodeLiterals(pixels, literalsFrom, x);
        literalsFrom = x = this.#encodeMatch(pixels, above, x, before);
        before = pixels[x - 1] as number;
      }
    }
    this.#encodeLiterals(pixels, literalsFrom, length);
  }

  /** @returns the end of the match */
  #encodeMatch(pixels: Uint16Array, above: Uint16Array, x: number, before: number): number {
    const aboveEnd = pixels[x] === above[x] ? matchEnd(pixels, above, x) : x;
    const beforeEnd = pixels[x] === before ? runEnd(pixels, x) : x;
    const end = aboveEnd > beforeEnd ? aboveEnd : beforeEnd;
    const filterBytes = x === 0 ? 1 : 0; // the row above has the same filter type
    const distance = beforeEnd < aboveEnd ? this.#aboveDistance : this.#beforeDistance;
    this.#deflate.match((end - x) * PIXEL_BYTES + filterBytes, distance);
    return end;
  }

  #encodeLiterals(pixels: Uint16Array, from: number, to: number): void {
    if (from === to) return;
    if (to - from < STORED_PIXELS) this.#deflate.literals(pixels, from, to, from === 0);
    else
      this.#deflate.stored(
        this.#scanline.subarray(from === 0 ? 0 : 1 + from * PIXEL_BYTES, 1 + to * PIXEL_BYTES),
      );
  }

  /** Ends deflate and zlib. @returns the end of the data */
  #finishData(): number {
    this.#deflate.finish();
    return this.#writeNumber(this.#deflate.position, this.#checksum);
  }

  #writeHeader(): number {
    const start = this.#write(0, SIGNATURE);
    const sizes = this.#writeNumber(start + CHUNK_HEAD_BYTES, this.#row.pixels.length);
    const end = this.#write(this.#writeNumber(sizes, this.#options.height), FORMAT);
    return this.#writeChunk(start, IHDR, end);
  }

  /** Writes length, type and CRC around existing data. @returns the end of the chunk */
  #writeChunk(start: number, type: readonly number[], dataEnd: number): number {
    const typeStart = this.#writeNumber(start, dataEnd - start - CHUNK_HEAD_BYTES);
    this.#write(typeStart, type);
    const crc = new this.#options.Crc32().checksum(this.#piece.subarray(typeStart, dataEnd));
    return this.#writeNumber(dataEnd, crc);
  }

  #write(position: number, bytes: readonly number[]): number {
    this.#piece.set(bytes, position);
    return position + bytes.length;
  }

  /** Writes four bytes, big-endian. */
  #writeNumber(position: number, value: number): number {
    return this.#write(position, [value >>> 24, value >>> 16, value >>> 8, value]);
  }
}

/** A row as bytes for reading and as pixels for comparing. Every host is little-endian, as RGB565 is here. */
class Row {
  readonly pixels: Uint16Array;
  readonly bytes: Uint8Array;

  constructor(width: number) {
    this.pixels = new Uint16Array(width);
    this.bytes = new Uint8Array(this.pixels.buffer);
  }
}

/** Makes the missing row above the first one differ from it. */
function makeDifferent(above: Uint16Array, pixels: Uint16Array): void {
  for (let x = 0; x < above.length; x++) above[x] = ~(pixels[x] as number);
}

/** End of the pixels from `x` on that equal those above. */
function matchEnd(pixels: Uint16Array, above: Uint16Array, x: number): number {
  const { length } = pixels;
  let end = x;
  while (end < length && pixels[end] === above[end]) end++;
  return end;
}

/** End of the pixels from `x` on that equal the pixel at `x`. */
function runEnd(pixels: Uint16Array, x: number): number {
  const { length } = pixels;
  const pixel = pixels[x];
  let end = x + 1;
  while (end < length && pixels[end] === pixel) end++;
  return end;
}
