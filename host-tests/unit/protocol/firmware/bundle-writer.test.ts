import { createPublicKey, sign, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { writeBundle } from "../../../../protocol/firmware/bundle-writer.js";
import { NodeCrc32 } from "../../../hosts/node-bytes.js";
import { bundleOf, readBundle, SIGNER, simulatorImage } from "./bundling.js";

const write = (image: Uint8Array) =>
  writeBundle({ image, Crc32: NodeCrc32, sign: (message) => sign(null, message, SIGNER.privateKey) });

describe("writeBundle", () => {
  test("writes docs/spec/firmware-bundles.md#layout", () => {
    const image = new TextEncoder().encode("123456789");
    const signature = new Uint8Array(64).fill(0x5a);
    const bundle = writeBundle({ image, Crc32: NodeCrc32, sign: () => signature });
    const expected = [
      "414b4657", // magic
      "0100",
      "5a".repeat(64),
      "09000000",
      "2639f4cb", // the CRC-32 that everybody checks theirs with, 0xcbf43926
      Buffer.from(image).toString("hex"),
    ];
    expect(Buffer.from(bundle).toString("hex")).toBe(expected.join(""));
  });

  test("signs everything from the length field on, as OpenSSL verifies", () => {
    const bundle = write(simulatorImage(5000));
    const key = createPublicKey(SIGNER.privateKey);
    expect(verify(null, bundle.subarray(70), key, bundle.subarray(6, 70))).toBe(true);
  });

  for (const programBytes of [0, 1, 1000, 30_000])
    test(`writes what a reader accepts, with a program of ${programBytes} bytes`, async () => {
      const image = simulatorImage(programBytes);
      expect(write(image)).toEqual(bundleOf(image));
      expect(await readBundle(write(image))).toMatchObject({ imageBytes: image.length, content: image });
    });

  for (const length of [63, 65])
    test(`rejects a signature of ${length} bytes`, () => {
      const contents = { image: new Uint8Array(0), Crc32: NodeCrc32, sign: () => new Uint8Array(length) };
      expect(() => writeBundle(contents)).toThrow(RangeError);
    });
});
