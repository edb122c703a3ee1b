import { describe, expect, test } from "vitest";
import { IMAGE_HEAD_BYTES, readImageHeader } from "../../../../protocol/firmware/image-header.js";
import { faultOf } from "../package/packing.js";
import { espImage, simulatorImage } from "./bundling.js";

/** As a reader of bundles has it. */
const read = (image: Uint8Array) => readImageHeader(image.subarray(0, IMAGE_HEAD_BYTES));

/** A usual image of the simulated console with other bytes from `offset` on. */
function changed(offset: number, bytes: readonly number[] | string): Uint8Array {
  const image = simulatorImage(1000);
  image.set(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, offset);
  return image;
}

const TAKEN = [
  {
    name: "the simulated console",
    image: simulatorImage(1000),
    header: {
      version: "1.2.3",
      board: "simulator",
      architecture: "native",
      securityVersion: 0,
      leastBytes: 1128,
    },
  },
  {
    name: "the simulated console without a program",
    image: simulatorImage(0),
    header: {
      version: "1.2.3",
      board: "simulator",
      architecture: "native",
      securityVersion: 0,
      leastBytes: 128,
    },
  },
  {
    name: "the simulated console with texts of maximum length",
    image: simulatorImage(9, {
      version: "123456789.123456789.123456789",
      board: "b".repeat(31),
      architecture: "a".repeat(11),
    }),
    header: {
      version: "123456789.123456789.123456789",
      board: "b".repeat(31),
      architecture: "a".repeat(11),
      securityVersion: 0,
      leastBytes: 137,
    },
  },
  {
    name: "an ESP32-S3",
    image: espImage(),
    header: {
      version: "2.0.1",
      board: "svc-console",
      architecture: "xtensa",
      securityVersion: 0,
      leastBytes: 288,
    },
  },
  {
    name: "an ESP32-S2, of minimum length",
    image: espImage({ chip: 2, restBytes: 0, project: "p".repeat(31) }),
    header: {
      version: "2.0.1",
      board: "p".repeat(31),
      architecture: "xtensa",
      securityVersion: 0,
      leastBytes: 288,
    },
  },
  {
    name: "an ESP32",
    image: espImage({ chip: 0, version: "0.0.0" }),
    header: {
      version: "0.0.0",
      board: "svc-console",
      architecture: "xtensa",
      securityVersion: 0,
      leastBytes: 288,
    },
  },
] as const;

const REFUSED = [
  { name: "nothing", image: new Uint8Array(0), says: "no kind" },
  { name: "zeros", image: new Uint8Array(1000), says: "no kind" },
  { name: "an ELF file", image: Buffer.from(`\x7fELF${"\0".repeat(300)}`, "latin1"), says: "no kind" },
  { name: "the magic of the simulated console alone", image: changed(0, "").subarray(0, 8), says: "ends" },
  {
    name: "a simulated console's header without its last byte",
    image: simulatorImage(0).subarray(0, 127),
    says: "ends",
  },
  { name: "another magic", image: changed(7, "F"), says: "no kind" },
  { name: "another format of the header", image: changed(8, [2]), says: "format" },
  { name: "another length of the header", image: changed(10, [127]), says: "format" },
  { name: "a version of two numbers", image: changed(16, "1.2\0\0"), says: '"1.2" is not MAJOR.MINOR.PATCH' },
  { name: "a version with a suffix", image: changed(16, "1.2.3-rc1"), says: "is not MAJOR" },
  { name: "a version with a leading zero", image: changed(16, "01.2.3"), says: "is not MAJOR" },
  { name: "no version", image: changed(16, new Array(32).fill(0)), says: "its version is not text" },
  {
    name: "a version without a terminator",
    image: changed(16, "1".repeat(32)),
    says: "its version is not text",
  },
  { name: "no board", image: changed(48, [0]), says: "its board is not text" },
  { name: "a board without a terminator", image: changed(48, "b".repeat(32)), says: "its board is not text" },
  { name: "a board with a space", image: changed(48, "a b\0"), says: "its board is not text" },
  { name: "a board that is not ASCII", image: changed(48, "caf\xe9"), says: "its board is not text" },
  { name: "a board with a control character", image: changed(48, "\x1b[2J"), says: "its board is not text" },
  { name: "no architecture", image: changed(80, [0]), says: "its architecture is not text" },
  {
    name: "an architecture without a terminator",
    image: changed(80, "n".repeat(16)),
    says: "its architecture is not text",
  },
  { name: "the magic of an ESP32 alone", image: Uint8Array.of(0xe9), says: "ends" },
  { name: "an ESP32's header without its last byte", image: espImage().subarray(0, 287), says: "ends" },
  { name: "a boot loader of an ESP32", image: espImage({ descriptionMagic: 0xffffffff }), says: "describe" },
  { name: "an ESP32-C3", image: espImage({ chip: 5 }), says: "chip 5," },
  { name: "an unknown chip", image: espImage({ chip: 0x0900 }), says: "chip 2304," },
  {
    name: "an ESP32's version as git describes it",
    image: espImage({ version: "v1.2.3-4-gabc" }),
    says: "MAJOR",
  },
  {
    name: "an ESP32's version without a terminator",
    image: espImage({ version: "1".repeat(32) }),
    says: "not text",
  },
  { name: "an ESP32 without a project", image: espImage({ project: "" }), says: "its board is not text" },
] as const;

describe("readImageHeader", () => {
  for (const { name, image, header } of TAKEN)
    test(`accepts an image for ${name}`, () => expect(read(image)).toEqual(header));

  for (const { name, image, says } of REFUSED)
    test(`rejects ${name}`, () => {
      const fault = faultOf(() => read(image));
      expect(fault?.code).toBe("image_invalid");
      expect(fault?.message).toContain(says);
    });

  test("reads an image at any offset of its buffer", () => {
    for (const { image, header } of TAKEN) {
      const buffer = new Uint8Array(image.length + 7);
      buffer.set(image, 7);
      expect(read(buffer.subarray(7))).toEqual(header);
    }
  });
});
