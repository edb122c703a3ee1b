import fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersions, parseVersion } from "../../../protocol/version.js";

for (const text of ["0.0.0", "1.2.3", "10.20.30", "999999999.0.999999999"])
  test(`${text} is a version`, () => expect(parseVersion(text)).toEqual(text.split(".").map(Number)));

const MALFORMED = [
  ...["", "1", "1.2", "1.2.3.4", "1..3", ".1.2", "1.2.", "01.2.3", "1.02.3", "1.2.00", "-1.2.3", "+1.2.3"],
  ...[
    "1.2.3-rc.1",
    "1.2.3+build",
    "v1.2.3",
    " 1.2.3",
    "1.2.3\n",
    "1e1.2.3",
    "1.2.٣",
    "1.2.1000000000",
    "a.b.c",
  ],
];
for (const text of MALFORMED)
  test(`${JSON.stringify(text)} is not a version`, () => expect(parseVersion(text)).toBeUndefined());

test("a long text is not a version, whatever its characters", () =>
  expect(parseVersion(".".repeat(1_000_000))).toBeUndefined());

/** Each older than the next. */
const ORDER = ["0.0.0", "0.0.1", "0.0.10", "0.1.0", "0.9.99", "0.10.0", "1.0.0", "1.0.2", "2.0.0", "10.0.0"];
for (const [index, version] of ORDER.entries())
  test(`${version} is newer than all before it and older than all after it`, () => {
    const signs = ORDER.map((other) => Math.sign(compareVersions(version, other)));
    expect(signs).toEqual(ORDER.map((_, other) => Math.sign(index - other)));
  });

test("property: versions compare numerically, part by part", () => {
  const part = fc.nat(999_999_999);
  fc.assert(
    fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (a, b) => {
      const differing = a.findIndex((number, at) => number !== b[at]);
      const expected = differing < 0 ? 0 : Math.sign((a[differing] ?? 0) - (b[differing] ?? 0));
      expect(Math.sign(compareVersions(a.join("."), b.join(".")))).toBe(expected);
    }),
  );
});

test("comparing what is not a version throws", () => {
  expect(() => compareVersions("1.2", "1.2.3")).toThrow(RangeError);
  expect(() => compareVersions("1.2.3", "")).toThrow(RangeError);
});
