/** The contents of DER that have one encoding only (X.690 §8 to §11), at the edges of what is one. */
import { describe, expect, test } from "vitest";
import { readBits, readBoolean, readSmallInteger } from "../../../../protocol/keys/der-reader.js";

const rejects = (read: (content: Uint8Array) => unknown, ...bytes: readonly number[]) =>
  expect(() => read(Uint8Array.from(bytes)), bytes.join(" ")).toThrow(
    expect.objectContaining({ code: "keys_invalid" }),
  );

test("a BOOLEAN is one byte, 0 or 255", () => {
  expect(readBoolean(Uint8Array.of(0))).toBe(false);
  expect(readBoolean(Uint8Array.of(0xff))).toBe(true);
  for (const bytes of [[], [1], [0xfe], [0, 0], [0xff, 0xff], [0, 0xff]]) rejects(readBoolean, ...bytes);
});

describe("A small INTEGER", () => {
  test("is its byte, and 255 where there are more", () => {
    for (const value of [0, 1, 0x7f]) expect(readSmallInteger(Uint8Array.of(value))).toBe(value);
    for (const bytes of [
      [0, 0x80],
      [0, 0xff],
      [1, 0],
      [0x7f, 0x7f],
      [0, 0x80, 0],
    ])
      expect(readSmallInteger(Uint8Array.from(bytes)), bytes.join(" ")).toBe(0xff);
  });

  test("is not negative, and takes no byte more than it needs", () => {
    for (const bytes of [[], [0x80], [0xff], [0x80, 0], [0, 0], [0, 0x7f]])
      rejects(readSmallInteger, ...bytes);
  });
});

describe("A BIT STRING", () => {
  test("is what follows its count of unused bits", () => {
    for (const [bytes, bits] of [
      [[0], []],
      [[0, 0xff], [0xff]],
      [[7, 0x80], [0x80]],
      [
        [1, 0xff, 0xfe],
        [0xff, 0xfe],
      ],
    ] as const)
      expect(readBits(Uint8Array.from(bytes))).toEqual(Uint8Array.from(bits));
  });

  test("has at most seven unused bits, all zero, and none where there is no bit", () => {
    for (const bytes of [[], [8, 0], [1], [7], [1, 0x01], [7, 0x40], [1, 0, 0x81]])
      rejects(readBits, ...bytes);
  });
});
