import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PngEncoder } from "../../../../device/services/display/png-encoder.js";
import { NodeAdler32, NodeCrc32 } from "../../../hosts/node-bytes.js";
import { expand, readPng } from "../../../hosts/read-png.js";
import { inTier } from "../../../tier.js";

const WIDTH = 240;
const HEIGHT = 320;

function optionsFor(width: number, height: number, pixels: Uint16Array) {
  const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const rgb = expand(pixels);
  return {
    width,
    height,
    Crc32: NodeCrc32,
    Adler32: NodeAdler32,
    picture: {
      readRow: (y: number, into: Uint8Array) => into.set(bytes.subarray(y * width * 2, (y + 1) * width * 2)),
      readRgbRow: (y: number, into: Uint8Array) => into.set(rgb.subarray(y * width * 3, (y + 1) * width * 3)),
    },
  };
}

/** Every piece of the picture, each copied before the next one is asked for. */
function pieces(width: number, height: number, pixels: Uint16Array): Uint8Array[] {
  const encoder = new PngEncoder(optionsFor(width, height, pixels));
  const all: Uint8Array[] = [];
  for (let piece = encoder.next(); piece; piece = encoder.next()) all.push(piece.slice());
  expect(encoder.next()).toBeUndefined();
  return all;
}

function checkPicture(width: number, height: number, pixels: Uint16Array): Uint8Array {
  const png = Buffer.concat(pieces(width, height, pixels));
  const picture = readPng(png);
  expect([picture.width, picture.height]).toEqual([width, height]);
  expect(picture.rgb.equals(expand(pixels)), "the pixels are the same").toBe(true);
  return png;
}

/** A picture from a function of x and y. */
function drawn(pixelAt: (x: number, y: number) => number): Uint16Array {
  return Uint16Array.from({ length: WIDTH * HEIGHT }, (_, index) =>
    pixelAt(index % WIDTH, Math.floor(index / WIDTH)),
  );
}

/** Numbers that look like chance and are the same each time. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  };
}

const random = noise(1);
const PICTURES: readonly { name: string; pixels: Uint16Array; limitBytes: number }[] = [
  { name: "black", pixels: drawn(() => 0), limitBytes: 4000 },
  { name: "white", pixels: drawn(() => 0xffff), limitBytes: 4000 },
  { name: "stripes down", pixels: drawn((x) => (x % 3) * 0x1234), limitBytes: 4000 },
  { name: "stripes across", pixels: drawn((_, y) => (y % 2) * 0xabcd), limitBytes: 6000 },
  { name: "every colour in turn", pixels: drawn((x, y) => y * WIDTH + x), limitBytes: 240_000 },
  { name: "a chessboard", pixels: drawn((x, y) => ((x + y) & 1) * 0xffff), limitBytes: 300_000 },
  { name: "noise", pixels: drawn(random), limitBytes: 235_000 },
  { name: "noise of two colours", pixels: drawn(() => (random() & 1) * 0x8410), limitBytes: 235_000 },
  {
    name: "fifteen literals, then a match, over and over",
    pixels: drawn((x) => (x % 16 === 0 ? 0x07e0 : random() | 0x8000)),
    limitBytes: 262_000,
  },
  {
    name: "sixteen literals, then a match, over and over",
    pixels: drawn((x) => (x % 17 === 0 ? 0x07e0 : random() | 0x8000)),
    limitBytes: 272_000,
  },
];

describe("PngEncoder encodes", () => {
  for (const { name, pixels, limitBytes } of PICTURES)
    test(`${name}, in no more than ${limitBytes} bytes`, () => {
      expect(checkPicture(WIDTH, HEIGHT, pixels).length).toBeLessThanOrEqual(limitBytes);
    });

  test("every colour", () => {
    const colors = Uint16Array.from({ length: 65536 }, (_, color) => color);
    checkPicture(256, 256, colors);
  });

  test("runs of every length, beside and below each other", () => {
    for (let width = 1; width <= 400; width++) {
      const pixels = new Uint16Array(width * 3).fill(0x1234);
      pixels[0] = pixels[width] = 1;
      checkPicture(width, 3, pixels);
    }
  });

  test("pictures of any size and content", () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(sizes, fc.integer(), fc.integer({ min: 1, max: 4 }), ([width, height], seed, spread) => {
        const next = noise(seed);
        const pixels = new Uint16Array(width * height);
        // Mostly the pixel to the left or above, so that matches of both kinds meet literals everywhere.
        for (let index = 0; index < pixels.length; index++) {
          const choice = next() % (spread * 3);
          const from = choice === 0 ? -1 : choice === 1 ? index - 1 : index - width;
          pixels[index] = pixels[from] ?? next();
        }
        checkPicture(width, height, pixels);
      }),
      { numRuns: inTier({ quick: 40, sample: 150, nightly: 150 }) },
    );
  });
});

describe("PngEncoder returns pieces that", () => {
  test("are whole chunks of no more than 2 KiB", () => {
    for (const { pixels } of PICTURES)
      for (const [index, piece] of pieces(WIDTH, HEIGHT, pixels).entries()) {
        expect(piece.length).toBeLessThanOrEqual(2048);
        let at = index === 0 ? 8 : 0;
        while (at < piece.length) at += 12 + Buffer.from(piece).readUInt32BE(at);
        expect(at).toBe(piece.length);
      }
  });

  test("take the work of at most eight rows", () => {
    const options = optionsFor(WIDTH, HEIGHT, new Uint16Array(WIDTH * HEIGHT));
    let rows = 0;
    const readRow = (y: number, into: Uint8Array) => {
      rows++;
      options.picture.readRow(y, into);
    };
    const encoder = new PngEncoder({ ...options, picture: { ...options.picture, readRow } });
    for (let count = 0; count < HEIGHT / 8; count++) {
      rows = 0;
      encoder.next();
      expect(rows).toBe(8);
    }
    expect(encoder.next()).toBeUndefined();
  });
});
