/** Hexadecimal digits of bytes, and back. */
import { expect, test } from "vitest";
import { hexadecimal, readHexadecimal } from "../../../protocol/hexadecimal.js";

test("every byte becomes two lower-case digits, and again the byte", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  expect(hexadecimal(bytes)).toBe(Buffer.from(bytes).toString("hex"));
  expect(readHexadecimal(hexadecimal(bytes))).toEqual(bytes);
  expect(readHexadecimal("")).toEqual(new Uint8Array());
});

test.each(["0", "abc", "0G", "g0", "AB", "/0", ":0", "`0", " 1", "+1", "-1", "0x", "é0", "0\0"])(
  "%j is not a text of such digits",
  (text) => expect(readHexadecimal(text)).toBeUndefined(),
);
