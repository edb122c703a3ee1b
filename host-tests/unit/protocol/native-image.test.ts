/** What can be checked of an image that a package has in place of a module (docs/spec/aot.md#alone). */
import { beforeAll, describe, expect, test } from "vitest";
import {
  NATIVE_HEAD_BYTES,
  NativeDigestCheck,
  readImageAlone,
  readNativeHead,
} from "../../../protocol/native-image.js";
import { moduleOf } from "../../hosts/app-files.js";
import { NodeDigest } from "../../hosts/node-bytes.js";
import { aotFile } from "../services/apps/aot-file.js";
import { imageOf } from "../services/apps/native-images.js";

let image: Uint8Array;
beforeAll(async () => {
  image = imageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
});

const MANIFEST = Object.freeze({ entry: "main", target_arch: "native" as const });

describe("An image alone", () => {
  const read = (file: Uint8Array, manifest: Parameters<typeof readImageAlone>[2] = MANIFEST) =>
    readImageAlone(file.subarray(0, NATIVE_HEAD_BYTES), file.length, manifest);

  test("fits a manifest with its architecture and entry", () => {
    expect(read(image)).toMatchObject({ machine: "x86_64", entry: "main", abiVersion: 1 });
  });

  for (const target_arch of ["generic", "rv32", "xtensa", "arm"] as const)
    test(`does not fit a manifest for ${target_arch}`, () => {
      expect(() => read(image, { ...MANIFEST, target_arch })).toThrow(
        expect.objectContaining({
          code: "variant_invalid",
          message: expect.stringContaining(`made for native, and target_arch is ${target_arch}`),
        }),
      );
    });

  test("does not fit a manifest with another entry", () => {
    expect(() => read(image, { ...MANIFEST, entry: "start" })).toThrow(
      expect.objectContaining({ code: "entry_missing" }),
    );
  });

  test("is no AOT file of WAMR's", () => {
    for (const length of [10, 1000])
      expect(() => read(aotFile("x86_64", "x".repeat(length)))).toThrow(
        expect.objectContaining({ code: "variant_invalid" }),
      );
  });
});

describe("The digest of a container", () => {
  const check = (file: Uint8Array, pieceBytes: number) => {
    const { layout } = readNativeHead(image.subarray(0, NATIVE_HEAD_BYTES), image.length);
    const digest = new NativeDigestCheck(NodeDigest, layout);
    for (let at = 0; at < file.length; at += pieceBytes) digest.push(file.subarray(at, at + pieceBytes));
    digest.require();
  };
  const damage = expect.objectContaining({
    code: "variant_invalid",
    message: expect.stringContaining("its digest does not hold"),
  });

  test("holds for pieces of any size", () => {
    for (let pieceBytes = 1; pieceBytes <= image.length + 1; pieceBytes++)
      expect(() => check(image, pieceBytes)).not.toThrow();
  });

  test("does not hold with any bit flipped", () => {
    for (let bit = 0; bit < 8 * image.length; bit++) {
      const other = Uint8Array.from(image);
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => check(other, 100)).toThrow(damage);
    }
  });

  test("does not hold for a file that has become shorter", () => {
    for (let length = 0; length < image.length; length++)
      expect(() => check(image.subarray(0, length), 64)).toThrow(damage);
  });
});
