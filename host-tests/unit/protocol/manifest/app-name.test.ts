import { expect, test } from "vitest";
import {
  canonicalAppName,
  isAppName,
  isPortableFileName,
  isSameApp,
} from "../../../../protocol/manifest/app-name.js";

const NAMES = [
  ...["a", "tetris", "Tetris-2_final.v1", "0", "-", "_", "a..b", "x".repeat(32)],
  ...["console", "com", "com10", "com.1", "my.con", "nul_", "lpt-1"],
];
for (const name of NAMES) test(`"${name}" is the name of an app`, () => expect(isAppName(name)).toBe(true));

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
  ...["a.", "pong..", "con", "NUL", "Aux", "prn.v1", "com1", "COM9.x.y", "lpt0"],
];
for (const name of OTHERS)
  test(`${JSON.stringify(name)} is not the name of an app`, () => expect(isAppName(name)).toBe(false));

test("exactly 64 characters up to U+07FF may begin a name", () => {
  const beginnings = Array.from({ length: 0x800 }, (_, code) => String.fromCharCode(code)).filter(isAppName);
  expect(beginnings.join("")).toBe(`-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`);
});

test("Names that differ only in the case of A to Z are one name, and other texts are only themselves", () => {
  expect(isSameApp("Pong", "pONG")).toBe(true);
  expect(isSameApp("pong", "pong2")).toBe(false);
  expect(isSameApp("\u212a", "k")).toBe(false);
  const others = Array.from({ length: 0xff80 }, (_, at) => String.fromCharCode(0x80 + at));
  expect(others.filter((other) => "abcdefghijklmnopqrstuvwxyz".includes(canonicalAppName(other)))).toEqual(
    [],
  );
});

test("A name with a dot or a blank at its end, or of a device, is no portable name of a file", () => {
  for (const name of ["a.", "a ", "con", "Nul.txt", "com1 .txt"])
    expect(isPortableFileName(name)).toBe(false);
  for (const name of ["a", " a", "a.b", "consul", "ä", "icon"]) expect(isPortableFileName(name)).toBe(true);
});
