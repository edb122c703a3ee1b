/** PNGs for tests of screenshots, with whatever a test wants to be wrong, and the form that stores them. */
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

export function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

export interface Header {
  readonly width: number;
  readonly height: number;
  readonly bits?: number;
  readonly colourType?: number;
  readonly compression?: number;
  readonly filter?: number;
  readonly interlace?: number;
}

export function header({ width, height, bits = 8, colourType = 0, ...rest }: Header): Buffer {
  const { compression = 0, filter = 0, interlace = 0 } = rest;
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bits, colourType, compression, filter, interlace], 8);
  return chunk("IHDR", data);
}

export function png(...chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks]);
}

/** Rows of one byte a pixel, without filters. */
export function rows(width: number, height: number, shade = 0x80): Buffer {
  const bytes = Buffer.alloc((1 + width) * height, shade);
  for (let y = 0; y < height; y++) bytes[y * (1 + width)] = 0;
  return bytes;
}

/** A grey picture. */
export function smallPng(width = 32, height = 24, shade = 0x80): Buffer {
  const pixels = chunk("IDAT", deflateSync(rows(width, height, shade)));
  return png(header({ width, height }), pixels, chunk("IEND"));
}

export function screenshotsForm(files: readonly Uint8Array[]): FormData {
  const form = new FormData();
  for (const file of files) form.append("screenshot", new Blob([Uint8Array.from(file)]), "screenshot.png");
  return form;
}
