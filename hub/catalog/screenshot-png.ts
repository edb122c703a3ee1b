/**
 * Reads the PNG of a stranger (W3C PNG, third edition) before visitors' browsers do. Every length is bounded, every
 * checksum is checked, and the pixels have to unpack to exactly the rows that the header states. What is stored has only
 * the chunks that make the picture: no texts, places, profiles or frames of an animation.
 */
import { promisify } from "node:util";
import { crc32, inflate } from "node:zlib";
import { Fault } from "../../protocol/fault.js";

export const SCREENSHOT_LIMIT_BYTES = 512 * 1024;
/** Four times the side of a display, for pictures that are shown enlarged. */
export const SCREENSHOT_SIDE_LIMIT = 1280;

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** Length, type and checksum of a chunk. */
const CHUNK_OVERHEAD_BYTES = 12;
const HEADER_BYTES = 13;
const PALETTE_LIMIT_BYTES = 256 * 3;

/** Channels and bits of a sample by colour type (§11.2.1), without 16 bits, which no display of ours has. */
const COLOUR_TYPES: Readonly<
  Record<number, { readonly channels: number; readonly bits: readonly number[] }>
> = Object.freeze({
  0: { channels: 1, bits: [1, 2, 4, 8] },
  2: { channels: 3, bits: [8] },
  3: { channels: 1, bits: [1, 2, 4, 8] },
  4: { channels: 2, bits: [8] },
  6: { channels: 4, bits: [8] },
});
const INDEXED = 3;
const FILTERS = 5;

export interface Screenshot {
  /** With the chunks of the picture alone. */
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** With its length and checksum. */
  readonly whole: Buffer;
}

/** @throws {Fault} `picture_invalid` */
export async function readScreenshot(bytes: Uint8Array): Promise<Screenshot> {
  const chunks = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const [header, ...rest] = chunks;
  if (header?.type !== "IHDR" || header.data.length !== HEADER_BYTES) throw invalid("it has no header");
  const { width, height, rowBytes, colourType } = readHeader(header.data);
  const palette = requirePalette(rest, colourType);
  const pixels = rest.filter(({ type }) => type === "IDAT");
  await requireRows(pixels, height, rowBytes);
  const end = chunks.at(-1) as Chunk;
  const kept = [header, ...palette, ...pixels, end].map(({ whole }) => whole);
  return { png: Buffer.concat([SIGNATURE, ...kept]), width, height };
}

/** Reads up to IEND, and ignores what follows it. */
function readChunks(png: Buffer): readonly Chunk[] {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw invalid("it is not a PNG");
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; ; ) {
    if (png.length - at < CHUNK_OVERHEAD_BYTES) throw invalid("it is cut off");
    const length = png.readUInt32BE(at);
    if (length > png.length - at - CHUNK_OVERHEAD_BYTES) throw invalid("it is cut off");
    const whole = png.subarray(at, at + length + CHUNK_OVERHEAD_BYTES);
    const type = whole.toString("latin1", 4, 8);
    if (crc32(whole.subarray(4, 8 + length)) !== whole.readUInt32BE(8 + length))
      throw invalid("a checksum does not hold");
    chunks.push({ type, data: whole.subarray(8, 8 + length), whole });
    if (type === "IEND") return chunks;
    at += whole.length;
  }
}

function readHeader(data: Buffer) {
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [bits = 0, colourType = 0, compression = 0, filter = 0, interlace = 0] = data.subarray(8);
  if (width < 1 || height < 1 || width > SCREENSHOT_SIDE_LIMIT || height > SCREENSHOT_SIDE_LIMIT)
    throw invalid(
      `it has ${width} by ${height} pixels, and at most ${SCREENSHOT_SIDE_LIMIT} a side are allowed`,
    );
  const kind = COLOUR_TYPES[colourType];
  if (!kind?.bits.includes(bits)) throw invalid("its pixels are of a kind that is not supported");
  if (compression !== 0 || filter !== 0) throw invalid("its pixels are packed in an unknown way");
  if (interlace !== 0) throw invalid("it is interlaced");
  return { width, height, colourType, rowBytes: 1 + Math.ceil((width * kind.channels * bits) / 8) };
}

/** PLTE, and tRNS for transparency: at most one of each, before the pixels. */
function requirePalette(chunks: readonly Chunk[], colourType: number): readonly Chunk[] {
  const before = chunks.slice(
    0,
    chunks.findIndex(({ type }) => type === "IDAT"),
  );
  const palettes = before.filter(({ type }) => type === "PLTE");
  const transparencies = before.filter(({ type }) => type === "tRNS");
  const [palette] = palettes;
  if (palettes.length > 1 || transparencies.length > 1) throw invalid("it has two palettes");
  if (palette && (palette.data.length % 3 !== 0 || palette.data.length > PALETTE_LIMIT_BYTES))
    throw invalid("its palette has no whole colours, or too many");
  if (colourType === INDEXED && !palette?.data.length) throw invalid("it has no palette");
  return colourType === INDEXED ? [...palettes, ...transparencies] : transparencies;
}

const unpack = promisify(inflate);

/** The pixels, unpacked: rows of exactly this length, each behind the number of its filter (§9). */
async function requireRows(chunks: readonly Chunk[], height: number, rowBytes: number): Promise<void> {
  const wanted = height * rowBytes;
  const packed = Buffer.concat(chunks.map(({ data }) => data));
  const rows = await unpack(packed, { maxOutputLength: wanted + 1 }).catch((cause: unknown) => {
    throw invalid("its pixels do not unpack", cause);
  });
  if (rows.length !== wanted) throw invalid("it has other rows than its header states");
  for (let at = 0; at < wanted; at += rowBytes)
    if ((rows[at] ?? FILTERS) >= FILTERS) throw invalid("a row has an unknown filter");
}

function invalid(reason: string, cause?: unknown): Fault {
  return new Fault("picture_invalid", `Cannot accept the screenshot: ${reason}`, { cause });
}
