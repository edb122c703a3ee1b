/**
 * Pictures of the display that are kept under version control, as PNG with a palette, and compared pixel by pixel.
 *
 * `vitest --update` (`npm run pictures`) writes those that differ or are missing; look at them before you commit them. A
 * comparison that fails leaves the picture, and what differs in red, in `build/pictures`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { expect } from "vitest";
import type { Picture } from "./read-png.js";

/** A part of the display that is not the same in every run, and is not compared. */
export interface Mask {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const LEFT_BEHIND = path.join(import.meta.dirname, "../../build/pictures");

const DIFFERENT = 0xff0000;
/** Of what does not differ, in the picture of the differences. */
const DIMMED_SHIFT = 2;

/** Whether the run is to write what it would otherwise compare with. */
export function isUpdating(): boolean {
  // There is no public name for `--update`; this is what vitest's own file snapshots look at.
  return Reflect.get(expect.getState().snapshotState, "_updateSnapshot") === "all";
}

/** @returns how many pixels outside the masks differ from the kept picture; all if there is none of this size */
export function countDifferences(file: string, picture: Picture, masks: readonly Mask[] = []): number {
  return differences(file, picture, masks).length;
}

/** Writes the picture if the run updates; else leaves it, and its differences, where a person can look at them. */
export function keep(file: string, picture: Picture, masks: readonly Mask[] = []): void {
  const wrong = differences(file, picture, masks);
  if (wrong.length === 0) return;
  if (isUpdating()) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, writePalettePng(picture));
    return;
  }
  const { name } = path.parse(file);
  mkdirSync(LEFT_BEHIND, { recursive: true });
  writeFileSync(path.join(LEFT_BEHIND, `${name}.actual.png`), writePalettePng(picture));
  const marked = Buffer.from(picture.rgb.map((component) => component >> DIMMED_SHIFT));
  for (const pixel of wrong) marked.writeUIntBE(DIFFERENT, 3 * pixel, 3);
  const difference = { ...picture, rgb: marked };
  writeFileSync(path.join(LEFT_BEHIND, `${name}.difference.png`), writePalettePng(difference));
}

/** @returns the pixels that differ from the kept picture, by their numbers */
function differences(file: string, picture: Picture, masks: readonly Mask[]): readonly number[] {
  return differencesOf(existsSync(file) ? readPalettePng(readFileSync(file)) : undefined, picture, masks);
}

/** @returns the pixels outside the masks that differ, by their numbers; all if the sizes do */
export function differencesOf(
  kept: Picture | undefined,
  { width, height, rgb }: Picture,
  masks: readonly Mask[],
): readonly number[] {
  const isSameSize = kept?.width === width && kept.height === height;
  if (isSameSize && rgb.equals(kept.rgb)) return []; // a page has millions of pixels
  const pixels = Array.from({ length: width * height }, (_, pixel) => pixel);
  if (!isSameSize) return pixels;
  const isMasked = (pixel: number) => {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    return masks.some((mask) => isWithin(mask, x, y));
  };
  return pixels.filter(
    (pixel) =>
      rgb.compare(kept.rgb, 3 * pixel, 3 * pixel + 3, 3 * pixel, 3 * pixel + 3) !== 0 && !isMasked(pixel),
  );
}

export function isWithin(mask: Mask, x: number, y: number): boolean {
  return x >= mask.x && x < mask.x + mask.width && y >= mask.y && y < mask.y + mask.height;
}

/** @throws {Error} for more than 256 colours */
function writePalettePng({ width, height, rgb }: Picture): Buffer {
  const colours = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const colour = rgb.readUIntBE(pixel * 3, 3);
    const index = colours.get(colour) ?? colours.size;
    colours.set(colour, index);
    if (index > 255) throw new Error("This picture has more than 256 colours");
    rows[pixel + Math.floor(pixel / width) + 1] = index;
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const palette = Buffer.from(
    [...colours.keys()].flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return Buffer.concat([
    ...[SIGNATURE, chunk("IHDR", header), chunk("PLTE", palette)],
    ...[chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))],
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}

/** Reads what {@link writePalettePng} has written, and no other PNG. */
export function readPalettePng(png: Buffer): Picture {
  const chunks = new Map<string, Buffer>();
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const header = chunks.get("IHDR") ?? Buffer.alloc(8);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const palette = chunks.get("PLTE") ?? Buffer.alloc(0);
  const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  const rgb = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const index = rows[pixel + Math.floor(pixel / width) + 1] as number;
    palette.copy(rgb, pixel * 3, index * 3, index * 3 + 3);
  }
  return { width, height, rgb };
}
