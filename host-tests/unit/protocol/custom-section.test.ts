/** Custom sections as they are appended to a module (WebAssembly core specification 3.0 §5.5.3). */
import { describe, expect, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { Fault } from "../../../protocol/fault.js";

const MODULE = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);

describe("An appended custom section", () => {
  test("has its id, its length, its name with the name's length, and its content", () => {
    const extended = appendCustomSection(MODULE, "ab", Uint8Array.of(7, 8, 9));
    expect([...extended]).toEqual([...MODULE, 0, 6, 2, 0x61, 0x62, 7, 8, 9]);
  });

  test.each([
    [125, [0x7f]],
    [126, [0x80, 0x01]],
    [16_381, [0xff, 0x7f]],
    [16_382, [0x80, 0x80, 0x01]],
  ])("with %i bytes of content has its length in LEB128", (byteLength, length) => {
    const content = new Uint8Array(byteLength).fill(5);
    const extended = appendCustomSection(MODULE, "a", content);
    expect([...extended.subarray(8, 9 + length.length)]).toEqual([0, ...length]);
    expect(extended.subarray(9 + length.length)).toEqual(Uint8Array.of(1, 0x61, ...content));
  });

  test("counts its name in bytes of UTF-8", () => {
    const extended = appendCustomSection(MODULE, "é", new Uint8Array());
    expect([...extended.subarray(8)]).toEqual([0, 3, 2, 0xc3, 0xa9]);
  });

  test("leaves the given module unchanged", () => {
    const module = MODULE.slice();
    appendCustomSection(module, "a", Uint8Array.of(1));
    expect(module).toEqual(MODULE);
  });

  test("is refused for a file that is not a module", () => {
    const refusal = new Fault("module_invalid", 'Cannot add "a": not a WebAssembly module');
    expect(() => appendCustomSection(Uint8Array.of(0x1f, 0x8b, 8, 0), "a", new Uint8Array())).toThrow(
      refusal,
    );
  });
});
