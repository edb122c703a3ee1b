/** The reader of strangers' screenshots: what it takes, what it drops, and what it refuses. */
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, test } from "vitest";
import { readScreenshot, SCREENSHOT_SIDE_LIMIT } from "../../../../hub/catalog/screenshot-png.js";
import { chunk, header, png, rows, smallPng } from "../../../hub/store/screenshots.js";

const END = chunk("IEND");
const pixelsOf = (bytes: Uint8Array) => chunk("IDAT", deflateSync(bytes));
const GREY = { width: 32, height: 24 };
const PIXELS = pixelsOf(rows(32, 24));
const PALETTE = chunk("PLTE", Buffer.from("ff0000", "hex"));

const TAKEN = [
  { name: "grey", file: smallPng(32, 24) },
  { name: "the largest", file: smallPng(SCREENSHOT_SIDE_LIMIT, SCREENSHOT_SIDE_LIMIT) },
  { name: "one pixel", file: smallPng(1, 1) },
  {
    name: "1 bit a pixel",
    file: png(header({ width: 9, height: 2, bits: 1 }), pixelsOf(Buffer.alloc(6)), END),
  },
  {
    name: "red, green, blue and alpha",
    file: png(header({ width: 2, height: 2, colourType: 6 }), pixelsOf(Buffer.alloc(18)), END),
  },
  {
    name: "a palette with transparency",
    file: png(
      ...[header({ ...GREY, colourType: 3 }), PALETTE, chunk("tRNS", Buffer.of(7))],
      ...[pixelsOf(rows(32, 24, 0)), END],
    ),
  },
  {
    name: "pixels in several chunks",
    file: png(
      header(GREY),
      ...[deflateSync(rows(32, 24))].flatMap((all) => [
        chunk("IDAT", all.subarray(0, 5)),
        chunk("IDAT", all.subarray(5)),
      ]),
      END,
    ),
  },
];
for (const { name, file } of TAKEN)
  test(`takes a picture of ${name}, unchanged`, async () => {
    const { png: kept, width, height } = await readScreenshot(file);
    assert.deepEqual(Buffer.from(kept), file);
    assert.deepEqual([width, height], [file.readUInt32BE(16), file.readUInt32BE(20)]);
  });

test("drops all chunks but the picture's, and what follows its end", async () => {
  const extra = [chunk("tEXt", Buffer.from("Author\0Ada")), chunk("eXIf", Buffer.alloc(9)), chunk("iCCP")];
  const file = png(header(GREY), ...extra, PIXELS, chunk("acTL", Buffer.alloc(8)), END, chunk("fdAT"));
  assert.deepEqual(Buffer.from((await readScreenshot(file)).png), png(header(GREY), PIXELS, END));
});

const flipped = (file: Buffer, at: number) => {
  const changed = Buffer.from(file);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

const REFUSED: readonly { readonly name: string; readonly file: Uint8Array }[] = [
  { name: "nothing", file: Buffer.alloc(0) },
  { name: "a signature alone", file: png() },
  { name: "another format", file: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>") },
  { name: "no header", file: png(PIXELS, END) },
  { name: "no pixels", file: png(header(GREY), END) },
  { name: "no end", file: png(header(GREY), PIXELS) },
  { name: "a wrong checksum", file: flipped(smallPng(), 50) },
  { name: "a width of 0", file: png(header({ width: 0, height: 1 }), pixelsOf(Buffer.of(0)), END) },
  { name: "a height beyond the limit", file: png(header({ width: 1, height: 1281 }), PIXELS, END) },
  {
    name: "the largest numbers",
    file: png(header({ width: 2 ** 32 - 1, height: 2 ** 32 - 1 }), PIXELS, END),
  },
  { name: "16 bits a channel", file: png(header({ ...GREY, bits: 16 }), PIXELS, END) },
  { name: "an unknown colour type", file: png(header({ ...GREY, colourType: 5 }), PIXELS, END) },
  { name: "interlaced rows", file: png(header({ ...GREY, interlace: 1 }), PIXELS, END) },
  { name: "an unknown compression", file: png(header({ ...GREY, compression: 1 }), PIXELS, END) },
  { name: "fewer rows", file: png(header(GREY), pixelsOf(rows(32, 23)), END) },
  { name: "more rows", file: png(header(GREY), pixelsOf(rows(32, 25)), END) },
  { name: "a bomb", file: png(header(GREY), pixelsOf(Buffer.alloc(100_000_000)), END) },
  { name: "pixels that do not unpack", file: png(header(GREY), chunk("IDAT", Buffer.alloc(9, 1)), END) },
  { name: "an unknown filter", file: png(header({ width: 1, height: 1 }), pixelsOf(Buffer.of(5, 0)), END) },
  { name: "no palette", file: png(header({ ...GREY, colourType: 3 }), PIXELS, END) },
  {
    name: "a palette of no whole colours",
    file: png(header({ ...GREY, colourType: 3 }), chunk("PLTE", Buffer.of(1)), PIXELS, END),
  },
  {
    name: "two palettes",
    file: png(header({ ...GREY, colourType: 3 }), PALETTE, PALETTE, PIXELS, END),
  },
  {
    name: "a chunk that is longer than the file",
    file: png(header(GREY), Buffer.from("ffffffff49444154", "hex"), Buffer.alloc(8)),
  },
];
describe("A screenshot is refused", () => {
  for (const { name, file } of REFUSED)
    test(`with ${name}`, () => assert.rejects(readScreenshot(file), { code: "picture_invalid" }));

  test("wherever it is cut off", async () => {
    const file = smallPng();
    for (let length = 0; length < file.length; length++)
      await assert.rejects(readScreenshot(file.subarray(0, length)), { code: "picture_invalid" });
  });
});

test("Whatever bytes come, the result is a picture that reads the same again, or picture_invalid", async () => {
  const file = smallPng();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { maxLength: 4 }),
      fc.nat(3),
      async (changes, more) => {
        const changed = Buffer.concat([file, Buffer.alloc(more)]);
        for (const [at, value] of changes) changed[at] = value;
        const read = await readScreenshot(changed).catch(({ code }) => assert.equal(code, "picture_invalid"));
        if (read) assert.deepEqual(await readScreenshot(read.png), read);
      },
    ),
    { numRuns: 500 },
  );
});
