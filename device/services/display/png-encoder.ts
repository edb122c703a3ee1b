/**
 * PNG (W3C PNG, third edition) of an RGB565 picture, eight bits a component, made piece by piece.
 *
 * Rows are not filtered. A stretch of a row is sent as a match with the row above it or with the pixel before
 * it, whichever reaches further; so what apps draw, which is flat, takes a few bytes a row. Other pixels are
 * literals, many of them stored. Every piece is one or more whole chunks, and one piece is no more than a few
 * rows' work, so that the management VM is never kept from anything else for long.
 */
import type { Crc32Constructor } from "../../ports/digest.js";
import { DeflateWriter, rowLimitBytes } from "./deflate-writer.js";
import { matchDistance } from "./fixed-huffman.js";
import { RowChecksum } from "./row-checksum.js";

/** The picture, as `Snapshot` of the display port has it. */
export interface PictureSource {
  readonly width: number;
  readonly height: number;
  /** Fills `into` with row `y`, RGB565, the low byte first. */
  readRow(y: number, into: Uint8Array): void;
}

/** Size of a piece, unless a single row takes more: a heap of 128 KiB has room for a few. */
const PIECE_BYTES = 2048;
/** Rows of one piece, which bounds the work of one call: 2 ms on a desktop, however the picture looks. */
const PIECE_ROWS = 8;
/** From so many pixels on literals are stored: they take less time, and not more room from 40 on. */
const STORED_PIXELS = 16;

const SIGNATURE = Object.freeze([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const IHDR = Object.freeze([0x49, 0x48, 0x44, 0x52]);
const IDAT = Object.freeze([0x49, 0x44, 0x41, 0x54]);
const IEND = Object.freeze([0x49, 0x45, 0x4e, 0x44]);
/** Eight bits a component, RGB; deflate, the five filters, not interlaced. */
const FORMAT = Object.freeze([8, 2, 0, 0, 0]);
/** zlib (RFC 1950 §2.2): deflate with a window of 32 KiB, made quickly. */
const ZLIB_HEAD = Object.freeze([0x78, 0x01]);

const CHUNK_HEAD_BYTES = 8;
/** Everything of a piece that is no row: signature and IHDR, heads and CRCs, the ends of zlib and of PNG. */
const OVERHEAD_BYTES = 80;

export class PngEncoder {
  readonly #source: PictureSource;
  readonly #Crc32: Crc32Constructor;
  readonly #piece: Uint8Array;
  readonly #deflate: DeflateWriter;
  readonly #checksum = new RowChecksum();
  readonly #rowBytes: number;
  readonly #rowLimitBytes: number;
  readonly #above: number;
  readonly #before = matchDistance(3);
  #row: Row;
  #rowAbove: Row;
  #y = 0;

  constructor(source: PictureSource, Crc32: Crc32Constructor) {
    this.#source = source;
    this.#Crc32 = Crc32;
    this.#rowBytes = 1 + source.width * 3;
    this.#rowLimitBytes = rowLimitBytes(source.width);
    this.#above = matchDistance(this.#rowBytes);
    this.#piece = new Uint8Array(Math.max(PIECE_BYTES, this.#rowLimitBytes + OVERHEAD_BYTES));
    this.#deflate = new DeflateWriter(this.#piece);
    this.#row = new Row(source.width);
    this.#rowAbove = new Row(source.width);
  }

  /** The next piece, valid until the next call; `undefined` after the last. */
  next(): Uint8Array | undefined {
    if (this.#y === this.#source.height) return undefined;
    const isFirst = this.#y === 0;
    const start = isFirst ? this.#writeHeader() : 0;
    const dataStart = start + CHUNK_HEAD_BYTES;
    this.#deflate.position = isFirst ? this.#write(dataStart, ZLIB_HEAD) : dataStart;
    this.#encodeRows();
    const isLast = this.#y === this.#source.height;
    const end = this.#writeChunk(start, IDAT, isLast ? this.#finishData() : this.#deflate.position);
    return this.#piece.subarray(0, isLast ? this.#writeChunk(end, IEND, end + CHUNK_HEAD_BYTES) : end);
  }

  #encodeRows(): void {
    const limit = this.#piece.length - OVERHEAD_BYTES - this.#rowLimitBytes;
    const endY = Math.min(this.#y + PIECE_ROWS, this.#source.height);
    do this.#encodeRow();
    while (this.#y < endY && this.#deflate.position <= limit);
  }

  #encodeRow(): void {
    [this.#row, this.#rowAbove] = [this.#rowAbove, this.#row];
    const { bytes, pixels } = this.#row;
    this.#source.readRow(this.#y, bytes);
    const above = this.#y > 0 ? this.#rowAbove.pixels : undefined;
    this.#y++;
    if (above && matchEnd(pixels, above, 0) === pixels.length)
      this.#deflate.match(this.#rowBytes, this.#above);
    else {
      this.#checksum.measure(pixels);
      this.#encodePixels(pixels, above);
    }
    this.#checksum.addRow(this.#rowBytes);
  }

  /** Takes the longer of both matches where there is one; between matches there are literals. */
  #encodePixels(pixels: Uint16Array, above: Uint16Array | undefined): void {
    const { length } = pixels;
    let literalsFrom = 0;
    let x = 0;
    while (x < length) {
      const pixel = pixels[x];
      const aboveEnd = above && above[x] === pixel ? matchEnd(pixels, above, x) : x;
      const beforeEnd = x > 0 && pixels[x - 1] === pixel ? runEnd(pixels, x) : x;
      if (aboveEnd === x && beforeEnd === x) x++;
      else {
        this.#encodeLiterals(pixels, literalsFrom, x);
        const end = Math.max(aboveEnd, beforeEnd);
        const filterBytes = x === 0 ? 1 : 0; // the filter type is the same as above, too
        const distance = beforeEnd < aboveEnd ? this.#above : this.#before;
        this.#deflate.match((end - x) * 3 + filterBytes, distance);
        literalsFrom = x = end;
      }
    }
    this.#encodeLiterals(pixels, literalsFrom, length);
  }

  #encodeLiterals(pixels: Uint16Array, from: number, to: number): void {
    if (from === to) return;
    if (to - from < STORED_PIXELS) this.#deflate.literals(pixels, from, to, from === 0);
    else this.#deflate.stored(pixels, from, to, from === 0);
  }

  /** Ends deflate and zlib. @returns where the data ends */
  #finishData(): number {
    this.#deflate.finish();
    const [high, low] = this.#checksum.value;
    return this.#write(this.#deflate.position, [high >> 8, high, low >> 8, low]);
  }

  #writeHeader(): number {
    const { width, height } = this.#source;
    const start = this.#write(0, SIGNATURE);
    const sizes = this.#writeNumber(start + CHUNK_HEAD_BYTES, width);
    const end = this.#write(this.#writeNumber(sizes, height), FORMAT);
    return this.#writeChunk(start, IHDR, end);
  }

  /** Puts length, type and CRC around data that is there. @returns where the chunk ends */
  #writeChunk(start: number, type: readonly number[], dataEnd: number): number {
    const typeStart = this.#writeNumber(start, dataEnd - start - CHUNK_HEAD_BYTES);
    this.#write(typeStart, type);
    const crc = new this.#Crc32().checksum(this.#piece.subarray(typeStart, dataEnd));
    return this.#writeNumber(dataEnd, crc);
  }

  #write(position: number, bytes: readonly number[]): number {
    this.#piece.set(bytes, position);
    return position + bytes.length;
  }

  /** Four bytes, the highest first. */
  #writeNumber(position: number, value: number): number {
    return this.#write(position, [value >>> 24, value >>> 16, value >>> 8, value]);
  }
}

/** A row as it is read and as it is looked at. Every host is little-endian, as RGB565 is here. */
class Row {
  readonly pixels: Uint16Array;
  readonly bytes: Uint8Array;

  constructor(width: number) {
    this.pixels = new Uint16Array(width);
    this.bytes = new Uint8Array(this.pixels.buffer);
  }
}

/** The end of what is equal in both from `x` on. */
function matchEnd(pixels: Uint16Array, above: Uint16Array, x: number): number {
  const { length } = pixels;
  let end = x;
  while (end < length && pixels[end] === above[end]) end++;
  return end;
}

/** The end of the pixels from `x` on that are equal to the one at `x`. */
function runEnd(pixels: Uint16Array, x: number): number {
  const { length } = pixels;
  const pixel = pixels[x];
  let end = x + 1;
  while (end < length && pixels[end] === pixel) end++;
  return end;
}
