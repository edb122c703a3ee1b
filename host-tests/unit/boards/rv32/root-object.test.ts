/** The root as assembly (boards/rv32/builder/root-object.ts). */
import { expect, test } from "vitest";
import { rootAssembly } from "../../../../boards/rv32/builder/root-object.js";

const SYMBOLS = [
  { name: "fx_Math_abs", address: 0x8000_0100, byteLength: 16 },
  { name: "gxTypeDispatches", address: 0x8000_0200, byteLength: 64 },
];

function rootOf(...words: number[]): Buffer {
  const root = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) root.writeUInt32LE(word, index * 4);
  return root;
}

test("addresses become references by name, and everything else stays as it is", () => {
  const root = rootOf(1, 0x8000_0100, 2, 0x8000_0220, 0x8000_0100);
  expect(rootAssembly(root, [16, 4, 12], SYMBOLS).split("\n")).toEqual([
    '.section .root, "a"',
    '.incbin "root", 0, 4',
    ".word fx_Math_abs",
    '.incbin "root", 8, 4',
    ".word gxTypeDispatches + 32",
    ".word fx_Math_abs",
    '.incbin "root", 20, 0',
    "",
  ]);
});

test("an address of something without a global name is a fault of the build", () => {
  expect(() => rootAssembly(rootOf(0x8000_0110), [0], SYMBOLS)).toThrow(
    "The root refers to 0x80000110, which has no global name",
  );
});
