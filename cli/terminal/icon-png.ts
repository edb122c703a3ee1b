/** Converts the icon of an app (docs/spec/app-packages.md#icon) to a PNG, which terminals show. */
import { crc32, deflateSync } from "node:zlib";
import { ICON_SIDE_PIXELS, type IconLayout, readIcon } from "../../protocol/package/icon.js";

const CHANNELS = 4;
/** Bytes of a colour in the palette, and where its red, green and blue are. */
const COLOUR_BYTES = 4;
const COLOUR_CHANNELS = Object.freeze([2, 1, 0]);
const OPAQUE = 0xff;

/** @throws {Fault} `icon_invalid` */
export function iconPng(icon: Uint8Array): Uint8Array {
  return pngOf(pixelsOf(icon, readIcon(icon)));
}

/** Red, green, blue and alpha of each pixel, from the top left one. */
function pixelsOf(icon: Uint8Array, layout: IconLayout): Uint8Array {
  const { bitsPerPixel, pixelsAt, isTopDown } = layout;
  const pixels = new Uint8Array(CHANNELS * ICON_SIDE_PIXELS * ICON_SIDE_PIXELS);
  for (let y = 0; y < ICON_SIDE_PIXELS; y++) {
    const row = isTopDown ? y : ICON_SIDE_PIXELS - 1 - y;
    for (let x = 0; x < ICON_SIDE_PIXELS; x++) {
      const value = valueAt(icon, pixelsAt, (row * ICON_SIDE_PIXELS + x) * bitsPerPixel, bitsPerPixel);
      pixels.set(colourOf(icon, layout, value), CHANNELS * (y * ICON_SIDE_PIXELS + x));
    }
  }
  return pixels;
}

/** The value of `bits` bits: whole bytes, little-endian, or a part of a byte, the first pixel in its high bits. */
function valueAt(icon: Uint8Array, start: number, bitOffset: number, bits: number): number {
  const at = start + (bitOffset >> 3);
  if (bits < 8) return ((icon[at] ?? 0) >> (8 - bits - (bitOffset & 7))) & ((1 << bits) - 1);
  let value = 0;
  for (let byte = bits / 8 - 1; byte >= 0; byte--) value = value * 256 + (icon[at + byte] ?? 0);
  return value;
}

function colourOf(icon: Uint8Array, { bitsPerPixel, palette, masks }: IconLayout, value: number): number[] {
  if (bitsPerPixel > 8) return masks.map((mask) => (mask === 0 ? OPAQUE : scaled(value, mask)));
  if (value >= palette.colours) return [0, 0, 0, OPAQUE]; // a colour that the palette does not have
  return [...COLOUR_CHANNELS.map((at) => icon[palette.at + COLOUR_BYTES * value + at] ?? 0), OPAQUE];
}

/** The bits of the mask, as 0 to 255. */
function scaled(value: number, mask: number): number {
  return Math.round((((value & mask) >>> 0) / mask) * 255);
}

/** A PNG (W3C PNG, third edition) of 8 bits per channel, with alpha; its rows are not filtered. */
function pngOf(pixels: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(ICON_SIDE_PIXELS, 0);
  header.writeUInt32BE(ICON_SIDE_PIXELS, 4);
  header.set([8, 6], 8);
  const rowBytes = CHANNELS * ICON_SIDE_PIXELS;
  const rows = Buffer.alloc(ICON_SIDE_PIXELS * (1 + rowBytes));
  for (let y = 0; y < ICON_SIDE_PIXELS; y++)
    rows.set(pixels.subarray(y * rowBytes, (y + 1) * rowBytes), y * (1 + rowBytes) + 1);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
