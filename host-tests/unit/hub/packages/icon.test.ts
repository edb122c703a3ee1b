import { expect, test } from "vitest";
import { requireIcon } from "../../../../hub/packages/check-package.js";
import { type BitmapFields, bitmap } from "../../../hosts/bitmap.js";

const TAKEN: readonly { readonly name: string; readonly fields: BitmapFields }[] = [
  ...[1, 4, 8, 16, 24, 32].map((bits) => ({ name: `of ${bits} bits a pixel`, fields: { bits } })),
  { name: "whose first row is at the top", fields: { height: -32 } },
  { name: "with masks for its colours", fields: { compression: 3 } },
  { name: "with a later header", fields: { infoBytes: 124 } },
];
for (const { name, fields } of TAKEN) test(`A bitmap ${name} is an icon`, () => requireIcon(bitmap(fields)));

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const REFUSED: readonly { readonly name: string; readonly icon: Uint8Array }[] = [
  { name: "nothing", icon: new Uint8Array(0) },
  { name: "a PNG", icon: Uint8Array.from([...PNG, ...new Uint8Array(100)]) },
  { name: "a bitmap that is narrower", icon: bitmap({ width: 31 }) },
  { name: "a bitmap that is higher", icon: bitmap({ height: 33 }) },
  { name: "a bitmap of a width below 0", icon: bitmap({ width: -32 }) },
  { name: "a compressed bitmap", icon: bitmap({ compression: 1, bits: 8 }) },
  { name: "a bitmap of 2 bits a pixel", icon: bitmap({ bits: 2 }) },
  { name: "a bitmap with an old header", icon: bitmap({ infoBytes: 12 }) },
  { name: "a truncated bitmap", icon: bitmap().subarray(0, -1) },
  { name: "a bitmap with its pixels beyond its end", icon: bitmap({ pixelsAt: 0xffff_ffff }) },
  { name: "a bitmap with its pixels in its header", icon: bitmap({ pixelsAt: 0 }) },
];
for (const { name, icon } of REFUSED)
  test(`${name} is not an icon`, () =>
    expect(() => requireIcon(icon)).toThrow(expect.objectContaining({ code: "icon_invalid" })));
