/**
 * Pictures of screens, kept as PNG with a palette and compared pixel by pixel. `SVC_UPDATE_PICTURES=1` writes those that
 * differ or are missing; look at them before you commit them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { componentsOf } from "./colours.js";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** @returns how many pixels differ from the kept picture of that name; all of them if there is none */
export function differenceFrom(name: string, shown: Uint16Array, width: number): number {
  const file = path.join(import.meta.dirname, "pictures", `${name}.png`);
  const rgb = Buffer.from(Array.from(shown).flatMap((pixel) => componentsOf(pixel)));
  const difference = existsSync(file)
    ? countDifferent(readPicture(readFileSync(file), width), rgb)
    : shown.length;
  if (difference > 0 && process.env["SVC_UPDATE_PICTURES"]) {
    writeFileSync(file, picture(rgb, width));
    return 0;
  }
  return difference;
}

function countDifferent(one: Buffer, other: Buffer): number {
  let count = 0;
  for (let at = 0; at < other.length; at += 3) if (one.compare(other, at, at + 3, at, at + 3) !== 0) count++;
  return count;
}

function picture(rgb: Buffer, width: number): Buffer {
  const height = rgb.length / 3 / width;
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

/** The pixels of a file that {@link picture} has made. */
function readPicture(png: Buffer, width: number): Buffer {
  const chunks = new Map<string, Buffer>();
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const palette = chunks.get("PLTE") ?? Buffer.alloc(0);
  const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  const height = rows.length / (width + 1);
  const rgb = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const index = rows[pixel + Math.floor(pixel / width) + 1] as number;
    palette.copy(rgb, pixel * 3, index * 3, index * 3 + 3);
  }
  return rgb;
}
