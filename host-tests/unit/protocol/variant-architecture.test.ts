import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { readVariantArchitecture, VARIANT_HEAD_BYTES } from "../../../protocol/file-kind.js";

interface Layout {
  readonly magic?: string;
  readonly type?: number;
  readonly byteLength?: number;
}

/** The first bytes of an AOT file for `architecture`. */
function head(architecture: string, { magic = "\0aot", type = 0, byteLength = 48 }: Layout = {}): Uint8Array {
  const file = Buffer.alloc(16 + byteLength + 40, 0xaa);
  file.write(magic, 0, "latin1");
  file.writeUInt32LE(byteLength === 36 ? 3 : 5, 4);
  file.writeUInt32LE(type, 8);
  file.writeUInt32LE(byteLength, 12);
  file.fill(0, byteLength, 16 + byteLength);
  file.write(architecture, byteLength, 16, "latin1");
  return Uint8Array.from(file.subarray(0, Math.min(file.length, VARIANT_HEAD_BYTES)));
}

const refusal = expect.objectContaining({ code: "variant_invalid", status: 422 });

const ARCHITECTURES = {
  xtensa: ["xtensa"],
  arm: ["arm", "armv4", "armv7", "thumb", "thumbv7em", "thumbv8m.main"],
  rv32: ["riscv32", "riscv32_ilp32f"],
  native: ["x86_64", "i386", "aarch64", "aarch64v8"],
};
for (const [architecture, names] of Object.entries(ARCHITECTURES))
  for (const name of names)
    test(`an AOT file for ${name} is the variant for ${architecture}, in either layout`, () => {
      expect(readVariantArchitecture(head(name))).toBe(architecture);
      expect(readVariantArchitecture(head(name, { byteLength: 36 }))).toBe(architecture);
    });

describe("An AOT file is rejected", () => {
  for (const name of ["riscv64", "mips", "", "XTENSA", "ar", "a name of sixteen"])
    test(`for "${name}"`, () => expect(() => readVariantArchitecture(head(name))).toThrow(refusal));

  test("for an architecture with a control character", () =>
    expect(() => readVariantArchitecture(head("xtensa\x1b"))).toThrow(refusal));

  const LAYOUTS: readonly Layout[] = [
    { magic: "\0asm" },
    { type: 1 },
    { byteLength: 16 },
    { byteLength: 0 },
    { byteLength: 49 },
  ];
  for (const layout of LAYOUTS)
    test(`with ${JSON.stringify(layout)}`, () =>
      expect(() => readVariantArchitecture(head("xtensa", layout))).toThrow(refusal));

  test("when it ends before its first section ends", () => {
    const file = head("xtensa");
    for (let length = 0; length < file.length; length++)
      expect(() => readVariantArchitecture(file.subarray(0, length)), `${length} bytes`).toThrow(refusal);
  });

  test("only ever with a fault, whatever its bytes", () => {
    const start = fc.constantFrom([], [...head("arm").subarray(0, 12)], [...head("arm").subarray(0, 48)]);
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 80 }), (known, rest) => {
        try {
          expect(readVariantArchitecture(Uint8Array.from([...known, ...rest]))).toBe("arm");
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
        }
      }),
    );
  });
});
