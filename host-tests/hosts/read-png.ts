/**
 * A PNG reader that shares no code with the encoder under test: uses Node's zlib, and checks CRCs and filters against
 * the standard.
 */
import { crc32, inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Three bytes per pixel. */
  readonly rgb: Buffer;
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** @throws {Error} unless the file is a complete RGB picture with eight bits per component */
export function readPng(bytes: Uint8Array): Picture {
  const file = Buffer.from(bytes);
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error("This is not a PNG");
  const chunks = [...readChunks(file.subarray(8))];
  const header = chunks[0];
  if (header?.type !== "IHDR" || header.data.length !== 13) throw new Error("There is no header");
  if (header.data.toString("hex", 8) !== "0802000000") throw new Error("This is not plain RGB");
  if (chunks.at(-1)?.type !== "IEND") throw new Error("There is no end");
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const data = Buffer.concat(chunks.slice(1, -1).map(dataOf));
  return { width, height, rgb: unfiltered(inflateSync(data), width, height) };
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function* readChunks(file: Buffer): Generator<Chunk> {
  for (let at = 0; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    if (file.readUInt32BE(end) !== crc32(file.subarray(at + 4, end))) throw new Error("A CRC is wrong");
    yield { type: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, end) };
    at = end + 4;
  }
}

function dataOf({ type, data }: Chunk): Buffer {
  if (type !== "IDAT") throw new Error(`Among the data there is ${type}`);
  return data;
}

function unfiltered(data: Buffer, width: number, height: number): Buffer {
  const stride = width * 3;
  if (data.length !== height * (stride + 1)) throw new Error(`There are ${data.length} bytes of rows`);
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    if (data[start] !== 0) throw new Error(`Row ${y} is filtered`);
    rows.push(data.subarray(start + 1, start + 1 + stride));
  }
  return Buffer.concat(rows);
}

/** Expands RGB565 to eight bits per component, by repeating each component's high bits. */
export function expand(pixels: Uint16Array): Buffer {
  const parts = Array.from(pixels, (pixel) => {
    const bits = pixel.toString(2).padStart(16, "0");
    return [bits.slice(0, 5), bits.slice(5, 11), bits.slice(11)].map((component) =>
      Number.parseInt((component + component).slice(0, 8), 2),
    );
  });
  return Buffer.from(parts.flat());
}
