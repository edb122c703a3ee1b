/** The root as assembly (engine/root/root-assembly.ts). */
import { expect, test } from "vitest";
import { movableRootAssembly, rootAssembly } from "../../../../engine/root/root-assembly.js";

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
  expect(rootAssembly({ bytes: root, references: [16, 4, 12], symbols: SYMBOLS }).split("\n")).toEqual([
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
  expect(() => rootAssembly({ bytes: rootOf(0x8000_0110), references: [0], symbols: SYMBOLS })).toThrow(
    "The root refers to 0x80000110, which has no global name",
  );
});

test("for a board that links it elsewhere, addresses in the root are told from its start", () => {
  const root = {
    bytes: rootOf(0x8020_0008, 0x8000_0100, 0x8020_0000, 0x8020_0004),
    references: [4],
    pointers: [8, 0],
    address: 0x8020_0000,
    symbols: SYMBOLS,
  };
  expect(movableRootAssembly(root, ".rodata.root").split("\n")).toEqual([
    '.section .rodata.root, "a"',
    ".balign 8",
    ".global __root_start, __root_end",
    "__root_start:",
    ".word __root_start + 8",
    ".word fx_Math_abs",
    ".word __root_start + 0",
    '.incbin "root", 12, 4',
    "__root_end:",
    "",
  ]);
});
