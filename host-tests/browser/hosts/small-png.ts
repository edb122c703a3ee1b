/**
 * Converts a screenshot to a PNG with a palette, less than half the size of Chromium's. A page has about 1,500
 * colours, nearly all at the edges of letters: the 256 most frequent stay, and each other colour becomes the nearest
 * of them.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const COLOURS = 256;
const RGB_BYTES = 3;

/** @param png eight bits per component, without transparency, as Chromium writes it */
export function smallPng(png: Buffer): Buffer {
  const { header, data } = readChunks(png);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header.toString("hex", 8) !== "0802000000") throw new Error("This screenshot is not plain RGB");
  const rgb = unfiltered(inflateSync(data), width * RGB_BYTES, height);
  const palette = paletteOf(rgb);
  const newHeader = Buffer.from(header);
  newHeader[9] = 3; // colour type: palette
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", newHeader),
    chunk(
      "PLTE",
      Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
    ),
    chunk("IDAT", deflateSync(indexedRows(rgb, width, palette), { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function readChunks(png: Buffer): { readonly header: Buffer; readonly data: Buffer } {
  const chunks: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += 12 + length;
  }
  const ofType = (wanted: string) => chunks.filter(({ type }) => type === wanted).map(({ data }) => data);
  return { header: ofType("IHDR")[0] as Buffer, data: Buffer.concat(ofType("IDAT")) };
}

/** PNG §9: each byte is its difference from the prediction of its row's filter. */
function unfiltered(rows: Buffer, stride: number, height: number): Buffer {
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const from = y * (stride + 1);
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= RGB_BYTES ? (pixels[at - RGB_BYTES] as number) : 0;
      const up = y > 0 ? (pixels[at - stride] as number) : 0;
      const corner = x >= RGB_BYTES && y > 0 ? (pixels[at - stride - RGB_BYTES] as number) : 0;
      pixels[at] = (rows[from + 1 + x] as number) + foretold(rows[from] as number, left, up, corner);
    }
  }
  return pixels;
}

function foretold(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  return filter === 4 ? paeth(left, up, corner) : 0;
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** Returns the most frequent colours, as numbers. */
function paletteOf(rgb: Buffer): readonly number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += RGB_BYTES) {
    const colour = rgb.readUIntBE(at, RGB_BYTES);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([one, ones], [other, others]) => others - ones || one - other);
  return byCount.slice(0, COLOURS).map(([colour]) => colour);
}

/** Returns rows of palette indices, unfiltered: neighbouring indices are unrelated, so filters do not help. */
function indexedRows(rgb: Buffer, width: number, palette: readonly number[]): Buffer {
  const indices = new Map(palette.map((colour, index) => [colour, index]));
  const height = rgb.length / RGB_BYTES / width;
  const rows = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const colour = rgb.readUIntBE(pixel * RGB_BYTES, RGB_BYTES);
    const index = indices.get(colour) ?? nearest(palette, colour);
    indices.set(colour, index);
    rows[pixel + Math.floor(pixel / width) + 1] = index;
  }
  return rows;
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((other) => distance(other, colour));
  return distances.indexOf(Math.min(...distances));
}

function distance(one: number, other: number): number {
  const parts = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
  return parts.reduce((sum, part) => sum + part * part, 0);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)]);
}
