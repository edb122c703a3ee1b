import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import {
  readVariantArchitecture,
  requireVariantArchitecture,
  VARIANT_HEAD_BYTES,
} from "../../../protocol/file-kind.js";

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

describe("The refusal of an AOT file names", () => {
  const CASES: readonly { name: string; file: Uint8Array; reason: string }[] = [
    { name: "another magic", file: head("arm", { magic: "\0asm" }), reason: "it does not begin with \\0aot" },
    { name: "15 bytes", file: head("arm").subarray(0, 15), reason: "it ends within its first section" },
    { name: "63 bytes", file: head("arm").subarray(0, 63), reason: "it ends within its first section" },
    {
      name: "another first section",
      file: head("arm", { type: 1 }),
      reason: "there is no target info at offset 8",
    },
    {
      name: "another architecture",
      file: head("riscv64"),
      reason: 'no console runs machine code for "riscv64"',
    },
    {
      name: "a space in the name",
      file: head("arm v7"),
      reason: "the name of its architecture is not ASCII",
    },
    { name: "a DEL in the name", file: head("arm\x7f"), reason: "the name of its architecture is not ASCII" },
  ];
  for (const { name, file, reason } of CASES)
    test(name, () => {
      const refusal = new Fault("variant_invalid", `Cannot accept the AOT file: ${reason}`);
      expect(() => readVariantArchitecture(file)).toThrow(refusal);
    });

  test("the type of the first section as soon as its header is there", () => {
    const header = head("arm", { type: 1 }).subarray(0, 16);
    expect(() => readVariantArchitecture(header)).toThrow("there is no target info at offset 8");
  });
});

test("a name may have any other printable ASCII character", () =>
  expect(readVariantArchitecture(head("arm!~"))).toBe("arm"));

test("an AOT file must be for the declared architecture", () => {
  expect(() => requireVariantArchitecture(head("thumbv7em"), "arm")).not.toThrow();
  const refusal = new Fault("variant_invalid", "Cannot accept an AOT file for xtensa: it is made for arm");
  expect(() => requireVariantArchitecture(head("thumbv7em"), "xtensa")).toThrow(refusal);
});
