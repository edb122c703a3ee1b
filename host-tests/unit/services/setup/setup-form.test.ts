/** Forms of the set-up page (docs/spec/setup.md#form). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { FormReader } from "../../../../device/services/setup/setup-form.js";
import { Fault } from "../../../../protocol/fault.js";

const encoded = (text: string) => new TextEncoder().encode(text);

function read(text: string | Uint8Array, pieceBytes = 2000) {
  const reader = new FormReader();
  const bytes = typeof text === "string" ? encoded(text) : text;
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
  return reader.read();
}

test("a form has a key, a network and a password", () => {
  expect(read("key=abc&ssid=Caf%C3%A9+Nord&other=&password=a%2Bb%26c")).toEqual({
    key: "abc",
    ssid: "Café Nord",
    password: "a+b&c",
  });
});

test("a name that was typed counts before one that was chosen", () =>
  expect(read("ssid=chosen&other=typed").ssid).toBe("typed"));

test("fields that are missing are empty, and others are ignored", () =>
  expect(read("more=1")).toEqual({ key: "", ssid: "", password: "" }));

const REFUSED = [
  ["ssid=%zz", "bad_encoding"],
  ["ssid=%ff", "bad_encoding"],
  ["ssid=é", "bad_encoding"],
  ["ssid=a&ssid=b", "duplicate_parameter"],
  ["&".repeat(40), "bad_request"],
  ["x".repeat(1025), "body_too_large"],
] as const;
for (const [text, code] of REFUSED)
  test(`"${text.slice(0, 20)}" is refused as ${code}`, () =>
    expect(() => read(text)).toThrow(expect.objectContaining({ code })));

test("whatever a browser writes is read back, in pieces of any size", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 8 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 50 }), (ssid, password, pieceBytes) => {
      const form = String(new URLSearchParams({ key: "k", ssid, other: "", password }));
      expect(read(form, pieceBytes)).toEqual({ key: "k", ssid, password });
    }),
  );
});

test("arbitrary bytes give a form or a fault", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1200 }), fc.integer({ min: 1, max: 300 }), (bytes, pieceBytes) => {
      try {
        expect(Object.keys(read(bytes, pieceBytes))).toEqual(["key", "ssid", "password"]);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
      }
    }),
  );
});
