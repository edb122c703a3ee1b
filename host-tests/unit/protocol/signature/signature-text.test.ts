import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSignature, readSignatureFile } from "../../../../protocol/signature/signature-text.js";

const DIGITS = "0123456789abcdefABCDEF00ff".padEnd(128, "5a");
const BYTES = Uint8Array.from(Buffer.from(DIGITS, "hex"));
const encoded = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
const fault = (code: string) => expect.objectContaining({ code, status: 403 });

describe("A signature in text", () => {
  test("has 128 digits of either case", () => expect(readSignature(DIGITS)).toEqual(BYTES));

  test("is read as written", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes) => {
        const digits = Buffer.from(bytes).toString("hex");
        expect(readSignature(digits)).toEqual(Uint8Array.from(bytes));
        expect(readSignature(digits.toUpperCase())).toEqual(Uint8Array.from(bytes));
      }),
    );
  });

  for (const text of [undefined, ""])
    test(`is missing if there is ${text === undefined ? "none" : "an empty text"}`, () =>
      expect(() => readSignature(text)).toThrow(fault("signature_missing")));

  const MALFORMED = [
    { name: "one digit less", text: DIGITS.slice(1) },
    { name: "one digit more", text: `${DIGITS}0` },
    { name: "a line end", text: `${DIGITS}\n` },
    { name: "a space before it", text: ` ${DIGITS.slice(1)}` },
    { name: "a space within a pair", text: `0 ${DIGITS.slice(2)}` },
    { name: "a sign", text: `+1${DIGITS.slice(2)}` },
    { name: "a prefix", text: `0x${DIGITS.slice(2)}` },
    { name: "a letter past F", text: `${DIGITS.slice(1)}g` },
    { name: "a character between digits and letters", text: `${DIGITS.slice(1)}:` },
    { name: "a character with the low bits of a digit", text: `${DIGITS.slice(1)}\u0130` },
    { name: "a non-ASCII letter whose low bits are those of a digit", text: `${DIGITS.slice(1)}\u0141` },
    { name: "base64", text: Buffer.alloc(64).toString("base64") },
  ];
  for (const { name, text } of MALFORMED)
    test(`is rejected with ${name}`, () =>
      expect(() => readSignature(text)).toThrow(fault("signature_invalid")));
});

describe("A signature in a file", () => {
  for (const end of ["", "\n", "\r\n"])
    test(`may end in ${JSON.stringify(end)}`, () =>
      expect(readSignatureFile(encoded(DIGITS + end))).toEqual(BYTES));

  for (const end of ["\r", "\n\n", " ", "\r\n\r\n", "0"])
    test(`must not end in ${JSON.stringify(end)}`, () =>
      expect(() => readSignatureFile(encoded(DIGITS + end))).toThrow(fault("signature_invalid")));

  for (const text of ["", "\n"])
    test(`is missing from a file of ${JSON.stringify(text)}`, () =>
      expect(() => readSignatureFile(encoded(text))).toThrow(fault("signature_missing")));

  test("is not searched in a long file", () =>
    expect(() => readSignatureFile(new Uint8Array(1_000_000))).toThrow(fault("signature_invalid")));
});
