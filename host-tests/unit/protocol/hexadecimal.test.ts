/** Hexadecimal digits of bytes, and back. */
import { afterEach, describe, expect, test } from "vitest";
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

describe("Where Uint8Array has toHex and fromHex, as on a console,", () => {
  const calls: string[] = [];
  const define = (target: object, name: string, value: unknown) =>
    Object.defineProperty(target, name, { value, configurable: true });

  function defineMethods(): void {
    calls.length = 0;
    define(Uint8Array.prototype, "toHex", function toHex(this: Uint8Array) {
      calls.push("toHex");
      return Buffer.from(this).toString("hex");
    });
    define(Uint8Array, "fromHex", (text: string) => {
      calls.push("fromHex");
      if (!/^([0-9a-f]{2})*$/i.test(text)) throw new SyntaxError("no digits");
      return Uint8Array.from(Buffer.from(text, "hex"));
    });
  }

  afterEach(() => {
    Reflect.deleteProperty(Uint8Array.prototype, "toHex");
    Reflect.deleteProperty(Uint8Array, "fromHex");
  });

  test("they are called", () => {
    defineMethods();
    expect(hexadecimal(Uint8Array.of(0, 171))).toBe("00ab");
    expect(calls).toEqual(["toHex"]);
    expect(readHexadecimal("00ab")).toEqual(Uint8Array.of(0, 171));
    expect(calls).toContain("fromHex");
  });

  test.each(["0", "0g", "AB", "aB"])("%j is no text of lower-case digits either", (text) => {
    defineMethods();
    expect(readHexadecimal(text)).toBeUndefined();
  });
});
