import { expect, test } from "vitest";
import { isAppName } from "../../../../protocol/manifest/manifest.js";

for (const name of ["a", "tetris", "Tetris-2_final.v1", "0", "-", "_", "a.", "a..b", "x".repeat(32)])
  test(`"${name}" is the name of an app`, () => expect(isAppName(name)).toBe(true));

const OTHERS = [
  ...[
    "",
    ".",
    "..",
    ".hidden",
    "x".repeat(33),
    "two words",
    "a/b",
    "a\\b",
    "a\0",
    "a\n",
    "ä",
    "\u0430",
    "a:b",
    "a%2f",
  ],
  ...["a@", "a[", "a`", "a{", "\u212a", "ı", "😀", "a\u0300"],
];
for (const name of OTHERS)
  test(`${JSON.stringify(name)} is not the name of an app`, () => expect(isAppName(name)).toBe(false));

test("exactly 64 characters up to U+07FF may begin a name", () => {
  const beginnings = Array.from({ length: 0x800 }, (_, code) => String.fromCharCode(code)).filter(isAppName);
  expect(beginnings.join("")).toBe(`-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`);
});
