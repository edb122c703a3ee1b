/** Which files are icons (docs/spec/app-packages.md#icon). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { ICON_LIMIT_BYTES, IconReader, readIcon } from "../../../../protocol/package/icon.js";
import { type BitmapFields, bitmap } from "../../../hosts/bitmap.js";

const ACCEPTED: readonly { readonly name: string; readonly fields: BitmapFields }[] = [
  ...[1, 4, 8, 16, 24, 32].map((bits) => ({ name: `of ${bits} bits per pixel`, fields: { bits } })),
  ...[40, 52, 56, 108, 124].flatMap((infoBytes) => [
    { name: `with a header of ${infoBytes} bytes`, fields: { infoBytes } },
    { name: `with masks and a header of ${infoBytes} bytes`, fields: { infoBytes, compression: 3 } },
    { name: `with a palette and a header of ${infoBytes} bytes`, fields: { infoBytes, bits: 4 } },
  ]),
  { name: "whose first row is the top one", fields: { height: -32 } },
  { name: "with masks of 32 bits", fields: { compression: 3, bits: 32 } },
  { name: "with an alpha channel", fields: { compression: 3, bits: 32, infoBytes: 124 } },
  { name: "with the alpha channel at the bottom", fields: rgba([0xff000000, 0xff0000, 0xff00, 0xff]) },
  { name: "with masks of 5 bits", fields: { compression: 3, masks: [0x7c00, 0x03e0, 0x001f] } },
  { name: "with a short palette", fields: { bits: 8, colours: 3 } },
];

function rgba(masks: readonly number[]): BitmapFields {
  return { compression: 3, bits: 32, infoBytes: 108, masks };
}

for (const { name, fields } of ACCEPTED) test(`A bitmap ${name} is an icon`, () => readIcon(bitmap(fields)));

const INT_MIN = -(2 ** 31);
const UINT_MAX = 2 ** 32 - 1;
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const MASKS = /masks of its colours/;

const REJECTED: readonly { readonly name: string; readonly icon: Uint8Array; readonly reason: RegExp }[] = [
  { name: "Nothing", icon: new Uint8Array(0), reason: /not a BMP/ },
  { name: "A PNG", icon: Uint8Array.from([...PNG, ...new Uint8Array(100)]), reason: /not a BMP/ },
  { name: "Two letters", icon: Uint8Array.of(0x42, 0x4d), reason: /header is cut off/ },
  { name: "Half a header", icon: bitmap().subarray(0, 69), reason: /header is cut off/ },
  ...(
    [
      ["that is narrower", { width: 31 }, /has 31 by 32 pixels/],
      ["that is higher", { height: 33 }, /has 32 by 33 pixels/],
      ["that is larger", { width: 64, height: 64 }, /has 64 by 64 pixels/],
      ["without pixels", { infoBytes: 124, width: 0, height: 0 }, /has 0 by 0 pixels/],
      ["of a negative width", { width: -32 }, /has -32 by 32 pixels/],
      ["of the most negative width", { width: INT_MIN }, /has -2147483648 by 32 pixels/],
      ["of the most negative height", { height: INT_MIN }, /has 32 by 2147483648 pixels/],
      ["whose size in bytes overflows", { width: 0x10000, height: 0x10000 }, /has 65536 by 65536 pixels/],
      ["in RLE8", { compression: 1, bits: 8 }, /compression 1/],
      ["in RLE4", { compression: 2, bits: 4 }, /compression 2/],
      ["that contains a JPEG", { compression: 4 }, /compression 4/],
      ["of an unknown compression", { compression: UINT_MAX }, /compression 4294967295/],
      ["of 0 bits per pixel", { infoBytes: 124, bits: 0 }, /has 0 bits per pixel/],
      ["of 2 bits per pixel", { bits: 2 }, /has 2 bits per pixel/],
      ["of 64 bits per pixel", { bits: 64 }, /has 64 bits per pixel/],
      ["of 24 bits with masks", { compression: 3, bits: 24 }, /has 24 bits per pixel/],
      ["of 8 bits with masks", { compression: 3, bits: 8 }, /has 8 bits per pixel/],
      ["of OS/2", { infoBytes: 12, bits: 24 }, /header has 12 bytes/],
      ["of OS/2 2.0", { infoBytes: 64, bits: 24 }, /header has 64 bytes/],
      ["with more colours than pixels can number", { bits: 4, colours: 17 }, /palette has 17 colours/],
      ["with its pixels beyond its end", { pixelsAt: UINT_MAX }, /pixels are cut off/],
      ["whose pixels end a byte after its end", { pixelsAt: 55 }, /pixels are cut off/],
      ["with its pixels in its file header", { pixelsAt: 0 }, /inside its header or palette/],
      ["with its pixels in its header", { infoBytes: 124, pixelsAt: 54 }, /inside its header or palette/],
      ["with its pixels in its masks", { compression: 3, pixelsAt: 54 }, /inside its header or palette/],
      ["with its pixels in its palette", { bits: 8, pixelsAt: 1077 }, /inside its header or palette/],
      ["without a mask", { compression: 3, masks: [0xf800, 0, 0x1f] }, MASKS],
      ["with masks that overlap", { compression: 3, masks: [0xf800, 0x0fe0, 0x1f] }, MASKS],
      ["with equal masks", { compression: 3, masks: [0x1f, 0x1f, 0x1f] }, MASKS],
      ["with a mask of two runs", { compression: 3, masks: [0xf800, 0x05e0, 0x1f] }, MASKS],
      ["with masks beyond its pixels", { compression: 3, masks: [0xff0000, 0xff00, 0xff] }, MASKS],
      ["with all bits in each mask", rgba([UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX]), MASKS],
      ["whose alpha channel overlaps", rgba([0xff0000, 0xff00, 0xff, 0xff800000]), MASKS],
      ["whose alpha channel has gaps", rgba([0xff0000, 0xff00, 0xff, 0xa0000000]), MASKS],
    ] as const
  ).map(([name, fields, reason]) => ({ name: `A bitmap ${name}`, icon: bitmap(fields), reason })),
  { name: "A truncated bitmap", icon: bitmap().subarray(0, -1), reason: /pixels are cut off/ },
];
for (const { name, icon, reason } of REJECTED)
  test(`${name} is not an icon, with the reason`, () => {
    const fault = faultOf(icon);
    expect([fault?.code, fault?.status]).toEqual(["icon_invalid", 422]);
    expect(fault?.message).toMatch(
      /^Cannot accept "icon_32.bmp": it must be an uncompressed BMP of 32 by 32 /,
    );
    expect(fault?.message).toMatch(reason);
  });

function faultOf(icon: Uint8Array): Fault | undefined {
  try {
    readIcon(icon);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** The verdict on a file that arrives in pieces of these sizes, repeated. */
function inPieces(icon: Uint8Array, sizes: readonly number[]): unknown {
  const reader = new IconReader();
  for (let at = 0, turn = 0; at < icon.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    reader.push(icon.subarray(at, end));
    at = end;
  }
  try {
    return reader.end();
  } catch (error) {
    return error instanceof Fault ? error.message : error;
  }
}

const inWhole = (icon: Uint8Array) => inPieces(icon, [icon.length]);

describe("Property:", () => {
  /** A valid icon with bytes of its headers changed, or any bytes. */
  const accepted = fc.constantFrom(...ACCEPTED).map(({ fields }) => bitmap(fields));
  const change = fc.tuple(
    fc.nat({ max: 140 }),
    fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
  );
  const changed = fc
    .tuple(accepted, fc.array(change, { maxLength: 6 }), fc.nat({ max: 300 }))
    .map(([icon, changes, cutBytes]) => {
      const copy = icon.slice(0, icon.length - cutBytes);
      for (const [at, value] of changes) copy[at] = value;
      return copy;
    });
  const any = fc.oneof(
    changed,
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Uint8Array.of(0x42, 0x4d, ...bytes)),
  );

  test("no bytes give anything but a layout inside the file, or icon_invalid", () => {
    fc.assert(
      fc.property(any, (icon) => {
        const fault = faultOf(icon);
        if (fault) return fault.code === "icon_invalid";
        const { palette, pixelsAt, bitsPerPixel } = readIcon(icon);
        const paletteEnd = palette.at + 4 * palette.colours;
        return 54 <= palette.at && paletteEnd <= pixelsAt && pixelsAt + 128 * bitsPerPixel <= icon.length;
      }),
      { numRuns: 20_000 },
    );
  });

  test("any split gives the same verdict", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(any, sizes, (icon, sizes) => {
        expect(inPieces(icon, sizes)).toEqual(inWhole(icon));
      }),
      { numRuns: 2000 },
    );
  });
});

test("The layout says where the parts of an icon are", () => {
  expect(readIcon(bitmap({ bits: 4, infoBytes: 108, height: -32 }))).toEqual({
    bitsPerPixel: 4,
    pixelsAt: 14 + 108 + 64,
    isTopDown: true,
    palette: { at: 122, colours: 16 },
    masks: [0xff0000, 0xff00, 0xff, 0],
  });
  expect(readIcon(bitmap({ bits: 8, colours: 3 })).palette).toEqual({ at: 54, colours: 3 });
  expect(readIcon(bitmap({ bits: 16 }))).toEqual({
    bitsPerPixel: 16,
    pixelsAt: 54,
    isTopDown: false,
    palette: { at: 54, colours: 0 },
    masks: [0x7c00, 0x03e0, 0x001f, 0],
  });
  expect(readIcon(bitmap({ compression: 3, bits: 32, infoBytes: 124 })).masks).toEqual([
    ...[0xff0000, 0xff00, 0xff, 0xff000000],
  ]);
  expect(readIcon(bitmap({ compression: 3, bits: 32 })).masks[3]).toBe(0); // such a header has no mask for it
});

test("Bytes before and after the pixels are no fault, up to the limit", () => {
  const byteLength = ICON_LIMIT_BYTES;
  const pixelsAt = byteLength - 32 * 32 * 2;
  expect(readIcon(bitmap({ byteLength, pixelsAt })).pixelsAt).toBe(pixelsAt);
  expect(readIcon(bitmap({ byteLength })).pixelsAt).toBe(54);
});

test("An icon of every form fits the limit", () => {
  for (const { fields } of ACCEPTED) expect(bitmap(fields).length).toBeLessThanOrEqual(ICON_LIMIT_BYTES);
});
