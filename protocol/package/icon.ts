/**
 * The icon of an app (docs/spec/app-packages.md#icon): a BMP of 32 by 32 pixels without compression, in the forms that
 * common tools write. Consoles, hubs, `svc` and the web console check it with this code, and clients that draw it use
 * the layout that it returns.
 *
 * The layout of a BMP is that of BITMAPFILEHEADER, BITMAPINFOHEADER and BITMAPV5HEADER (Microsoft Win32, `wingdi.h`).
 */

import { Fault } from "../fault.js";

export const ICON_NAME = "icon_32.bmp";
export const ICON_SIDE_PIXELS = 32;

/** 32 by 32 pixels of four bytes are 4096 bytes, and no header of a BMP needs that much again. */
export const ICON_LIMIT_BYTES = 8 * 1024;

const FILE_HEADER_BYTES = 14;

const PIXELS_AT = 10;
const HEADER_BYTES_AT = 14;
const WIDTH_AT = 18;
const HEIGHT_AT = 22;
const BITS_AT = 28;
const COMPRESSION_AT = 30;
const COLOURS_AT = 46;
/** Masks of red, green, blue and alpha: behind a header of 40 bytes, and inside longer ones. */
const MASKS_AT = 54;
const HEAD_BYTES = 70;

/** BITMAPINFOHEADER, the same with masks (52, 56), BITMAPV4HEADER and BITMAPV5HEADER. */
const HEADERS_BYTES: readonly number[] = Object.freeze([40, 52, 56, 108, 124]);
const MASKED_HEADER_BYTES = 52;
const ALPHA_HEADER_BYTES = 56;

/** Bits of a pixel by compression: BI_RGB, and BI_BITFIELDS, which has masks. */
const RGB = 0;
const BITFIELDS = 3;
const RGB_BITS: readonly number[] = Object.freeze([1, 4, 8, 16, 24, 32]);
const BITFIELDS_BITS: readonly number[] = Object.freeze([16, 32]);

const PALETTE_BITS = 8;
const COLOUR_BYTES = 4;

/** Bits of a pixel for red, green, blue and alpha; no bits for alpha: all pixels are opaque. */
type ColourMasks = readonly [red: number, green: number, blue: number, alpha: number];

const MASKS_OF_16_BITS: ColourMasks = Object.freeze([0x7c00, 0x03e0, 0x001f, 0]);
const MASKS_OF_24_BITS: ColourMasks = Object.freeze([0xff0000, 0x00ff00, 0x0000ff, 0]);

/** Where the parts of an icon are. Offsets are bytes from the start of the file. */
export interface IconLayout {
  /** 1, 4 and 8 are numbers of colours in the palette. */
  readonly bitsPerPixel: number;
  /** Rows of `4 * bitsPerPixel` bytes. */
  readonly pixelsAt: number;
  /** Whether the first row is the top one. */
  readonly isTopDown: boolean;
  /** Blue, green, red and a byte of no meaning for each colour. */
  readonly palette: { readonly at: number; readonly colours: number };
  /** Applies to pixels of 16, 24 and 32 bits. */
  readonly masks: ColourMasks;
}

/** Checks an icon that arrives in pieces. Keeps its first {@link HEAD_BYTES} bytes. */
export class IconReader {
  readonly #head = new Uint8Array(HEAD_BYTES);
  #byteLength = 0;

  push(bytes: Uint8Array): void {
    if (this.#byteLength < HEAD_BYTES)
      this.#head.set(bytes.subarray(0, HEAD_BYTES - this.#byteLength), this.#byteLength);
    this.#byteLength += bytes.length;
  }

  /** @throws {Fault} `icon_invalid` unless all of the bytes are an icon */
  end(): IconLayout {
    return layoutOf(this.#head, this.#byteLength);
  }
}

/** @throws {Fault} `icon_invalid` */
export function readIcon(icon: Uint8Array): IconLayout {
  const reader = new IconReader();
  reader.push(icon);
  return reader.end();
}

/** @param head the first bytes of the file, filled up with zeros */
function layoutOf(head: Uint8Array, byteLength: number): IconLayout {
  const view = new DataView(head.buffer);
  if (head[0] !== 0x42 || head[1] !== 0x4d) throw invalid("it is not a BMP");
  if (byteLength < HEAD_BYTES) throw invalid("its header is cut off");
  const headerBytes = view.getUint32(HEADER_BYTES_AT, true);
  if (!HEADERS_BYTES.includes(headerBytes)) throw invalid(`its header has ${headerBytes} bytes`);
  const height = view.getInt32(HEIGHT_AT, true); // negative if the first row is the top one
  checkSize(view.getInt32(WIDTH_AT, true), Math.abs(height));
  const bitsPerPixel = view.getUint16(BITS_AT, true);
  const compression = view.getUint32(COMPRESSION_AT, true);
  checkFormat(bitsPerPixel, compression);
  const isMasked = compression === BITFIELDS;
  const palette = {
    at: FILE_HEADER_BYTES + (isMasked ? Math.max(headerBytes, MASKED_HEADER_BYTES) : headerBytes),
    colours: bitsPerPixel <= PALETTE_BITS ? coloursOf(view, bitsPerPixel) : 0,
  };
  const pixelsAt = view.getUint32(PIXELS_AT, true);
  if (pixelsAt < palette.at + COLOUR_BYTES * palette.colours)
    throw invalid("its pixels begin inside its header or palette");
  const pixelBytes = (ICON_SIDE_PIXELS * ICON_SIDE_PIXELS * bitsPerPixel) / 8; // rows are whole words at each depth
  if (pixelsAt + pixelBytes > byteLength) throw invalid("its pixels are cut off");
  const masks = isMasked ? masksOf(view, bitsPerPixel, headerBytes) : usualMasks(bitsPerPixel);
  return { bitsPerPixel, pixelsAt, isTopDown: height < 0, palette, masks };
}

function checkSize(width: number, height: number): void {
  if (width !== ICON_SIDE_PIXELS || height !== ICON_SIDE_PIXELS)
    throw invalid(`it has ${width} by ${height} pixels`);
}

function checkFormat(bitsPerPixel: number, compression: number): void {
  if (compression !== RGB && compression !== BITFIELDS)
    throw invalid(`its pixels are compressed (compression ${compression})`);
  const accepted = compression === RGB ? RGB_BITS : BITFIELDS_BITS;
  if (!accepted.includes(bitsPerPixel)) throw invalid(`it has ${bitsPerPixel} bits per pixel`);
}

/** A number of 0 means all colours that the bits can number. */
function coloursOf(view: DataView, bitsPerPixel: number): number {
  const most = 1 << bitsPerPixel;
  const colours = view.getUint32(COLOURS_AT, true);
  if (colours > most) throw invalid(`its palette has ${colours} colours`);
  return colours === 0 ? most : colours;
}

function usualMasks(bitsPerPixel: number): ColourMasks {
  return bitsPerPixel === 16 ? MASKS_OF_16_BITS : MASKS_OF_24_BITS;
}

function masksOf(view: DataView, bitsPerPixel: number, headerBytes: number): ColourMasks {
  const mask = (index: number) => view.getUint32(MASKS_AT + 4 * index, true);
  const [red, green, blue] = [mask(0), mask(1), mask(2)];
  const alpha = headerBytes < ALPHA_HEADER_BYTES ? 0 : mask(3);
  if (![red, green, blue].every(isRun) || !(alpha === 0 || isRun(alpha))) throw invalidMasks();
  const used = red + green + blue + alpha; // the same as `|` if no bit is in two of them
  if (used >= 2 ** bitsPerPixel || used !== (red | green | blue | alpha) >>> 0) throw invalidMasks();
  return [red, green, blue, alpha];
}

/** Whether its bits are one run, such as 0x07e0. */
function isRun(mask: number): boolean {
  return mask !== 0 && (mask & (mask + (mask & -mask))) === 0;
}

function invalidMasks(): Fault {
  return invalid("the masks of its colours overlap or have gaps");
}

function invalid(reason: string): Fault {
  return new Fault(
    "icon_invalid",
    `Cannot accept "${ICON_NAME}": it must be an uncompressed BMP of 32 by 32 pixels, but ${reason}`,
  );
}
