import * as fc from "fast-check";
import { expect, test } from "vitest";
import { base64Length, decodeBase64, encodeBase64Into } from "../../../device-client/base64.js";

function encode(bytes: Uint8Array): string {
  const text = new Uint8Array(base64Length(bytes.length));
  expect(encodeBase64Into(bytes, text, 0)).toBe(text.length);
  return new TextDecoder().decode(text);
}

test("base64 equals that of Node for the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(encode(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect([...decodeBase64(encode(bytes))]).toEqual([...bytes]);
    }),
  );
});

test("base64 is written at the given offset, and its end is returned", () => {
  const line = new Uint8Array(8).fill(0x2e);
  expect(encodeBase64Into(Uint8Array.of(1), line, 2)).toBe(6);
  expect(new TextDecoder().decode(line)).toBe("..AQ==..");
});

for (const text of ["A", "AA", "AAA", "A===", "AA=A", "AA-A", "AAA\n", "AAAé"])
  test(`${JSON.stringify(text)} is not base64`, () => {
    expect(() => decodeBase64(text)).toThrow(SyntaxError);
  });
