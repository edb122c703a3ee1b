import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault, type FaultCode } from "../../../../protocol/fault.js";
import { BUNDLE_HEADER_BYTES } from "../../../../protocol/firmware/bundle-header.js";
import { NodeCrc32 } from "../../../hosts/node-bytes.js";
import { faultOf } from "../package/packing.js";
import {
  type BundleFields,
  bundleOf,
  espImage,
  FOREIGNER,
  flipped,
  newReader,
  type ReadingOptions,
  ROOM_BYTES,
  readBundle,
  refusal,
  simulatorImage,
} from "./bundling.js";

const IMAGE = simulatorImage(1000);
const BUNDLE = bundleOf(IMAGE);

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Flaws of a bundle, in the order in which they are reported. */
const FLAWS: readonly {
  readonly code: FaultCode;
  readonly name: string;
  readonly fields?: BundleFields;
  readonly image?: Uint8Array;
}[] = [
  { code: "bundle_magic", name: "another magic", fields: { magic: "AKFX" } },
  { code: "bundle_version", name: "another format version", fields: { formatVersion: 2 } },
  { code: "bundle_length", name: "a length that is too large", fields: { lengthError: 1 } },
  { code: "signature_invalid", name: "a signature of another key", fields: { signer: FOREIGNER } },
  { code: "bundle_crc", name: "another CRC-32", fields: { crcError: 1 } },
  { code: "image_invalid", name: "an image of no known kind", image: new Uint8Array(1000) },
];

describe("BundleReader reports errors in the order of docs/spec/firmware-bundles.md#check-order:", () => {
  for (let several = 1; several < 1 << FLAWS.length; several++) {
    const flaws = FLAWS.filter((_, index) => (several >> index) & 1);
    const image = flaws.find((flaw) => flaw.image)?.image ?? IMAGE;
    const bundle = bundleOf(image, Object.assign({}, ...flaws.map(({ fields }) => fields)));
    const code = flaws[0]?.code;
    test(`${flaws.map(({ name }) => name).join(", ")}: ${code}`, async () => {
      expect(await refusal(bundle)).toBe(code);
      expect(await refusal(bundle, { exactBytes: bundle.length })).toBe(code);
      expect(await refusal(bundle, { sizes: [1] })).toBe(code);
    });
  }
});

describe("BundleReader rejects", () => {
  const MAGIC = 4 * 8;
  const VERSION = 6 * 8;
  const SIGNATURE = 70 * 8;
  const LENGTH = 74 * 8;

  /** The code for a flipped bit, if nothing but the bytes determines the length. */
  function codeOfFlip(bit: number): FaultCode {
    if (bit < MAGIC) return "bundle_magic";
    if (bit < VERSION) return "bundle_version";
    if (bit < SIGNATURE || bit >= LENGTH) return "signature_invalid";
    const claimed = new DataView(flipped(BUNDLE, bit).buffer).getUint32(70, true);
    return claimed > ROOM_BYTES ? "file_too_large" : "bundle_length";
  }

  test("any flipped bit of the header", { timeout: 30_000 }, async () => {
    for (let bit = 0; bit < 8 * BUNDLE_HEADER_BYTES; bit++) {
      const bundle = flipped(BUNDLE, bit);
      expect(await refusal(bundle), `bit ${bit}`).toBe(codeOfFlip(bit));
      const isLength = bit >= SIGNATURE && bit < LENGTH;
      const known = await refusal(bundle, { exactBytes: bundle.length });
      expect(known, `bit ${bit}, with the length known`).toBe(isLength ? "bundle_length" : codeOfFlip(bit));
    }
  });

  test("any flipped bit of the image, by the signature", { timeout: 30_000 }, async () => {
    for (let bit = 8 * BUNDLE_HEADER_BYTES; bit < 8 * BUNDLE.length; bit += 61)
      expect(await refusal(flipped(BUNDLE, bit)), `bit ${bit}`).toBe("signature_invalid");
  });

  test("a bundle truncated to any length", { timeout: 30_000 }, async () => {
    for (let length = 0; length < BUNDLE.length; length++) {
      const cut = BUNDLE.subarray(0, length);
      expect(await refusal(cut), `${length} bytes`).toBe("bundle_length");
      expect(await refusal(cut, { exactBytes: length }), `${length} bytes, known`).toBe("bundle_length");
    }
  });

  for (const count of [1, 2, 78, 5000])
    test(`a bundle with ${count} more bytes`, async () => {
      const longer = joined(BUNDLE, new Uint8Array(count));
      for (const options of [{}, { exactBytes: longer.length }, { sizes: [1] }, { sizes: [BUNDLE.length] }])
        expect(await refusal(longer, options)).toBe("bundle_length");
    });

  for (const lengthError of [-IMAGE.length, -129, -1, 1, 512])
    test(`a bundle signed with ${lengthError} bytes more in its header than it has`, async () => {
      const bundle = bundleOf(IMAGE, { lengthError });
      for (const options of [{}, { exactBytes: bundle.length }, { sizes: [78] }, { sizes: [79] }])
        expect(await refusal(bundle, options)).toBe("bundle_length");
    });

  const LIMITS: readonly { name: string; options: ReadingOptions; code: FaultCode | undefined }[] = [
    { name: "exactly the room for its image", options: { imageLimitBytes: IMAGE.length }, code: undefined },
    {
      name: "a byte less than the room for its image",
      options: { imageLimitBytes: IMAGE.length - 1 },
      code: "file_too_large",
    },
    { name: "its length as the limit", options: { mostBytes: BUNDLE.length }, code: undefined },
    {
      name: "a limit a byte below its length",
      options: { mostBytes: BUNDLE.length - 1 },
      code: "bundle_length",
    },
    { name: "a limit a byte above its length", options: { mostBytes: BUNDLE.length + 1 }, code: undefined },
    {
      name: "no room, and a limit below its length",
      options: { imageLimitBytes: 10, mostBytes: BUNDLE.length - 1 },
      code: "bundle_length",
    },
    {
      name: "no room, and another exact length",
      options: { imageLimitBytes: 10, exactBytes: BUNDLE.length + 1 },
      code: "bundle_length",
    },
    {
      name: "its exact length, but no room",
      options: { imageLimitBytes: 10, exactBytes: BUNDLE.length, mostBytes: BUNDLE.length },
      code: "file_too_large",
    },
  ];
  for (const { name, options, code } of LIMITS)
    test(`or accepts a bundle, given ${name}: ${code ?? "accepted"}`, async () => {
      expect(await refusal(BUNDLE, options)).toBe(code);
      expect(await refusal(BUNDLE.subarray(0, BUNDLE_HEADER_BYTES), options)).toBe(code ?? "bundle_length");
    });

  const IMAGES = [
    { name: "an image shorter than announced", image: IMAGE.subarray(0, -1) },
    { name: "an image that ends within its header", image: IMAGE.subarray(0, 127) },
    { name: "an ESP32's image that ends within its header", image: espImage().subarray(0, 287) },
    { name: "an image without a byte", image: new Uint8Array(0) },
  ];
  for (const { name, image } of IMAGES)
    test(`${name}`, async () => expect(await refusal(bundleOf(image))).toBe("image_invalid"));

  for (const [good, bad, code] of [
    ["", "P", "bundle_magic"],
    ["AKF", "V", "bundle_magic"],
    ["AKFW", "\x02", "bundle_version"],
    ["AKFW\x01", "\x01", "bundle_version"],
  ] as const)
    test(`bytes that begin with ${JSON.stringify(good + bad)}, at byte ${good.length}: ${code}`, () => {
      const reader = newReader();
      reader.write(Buffer.from(good, "latin1"));
      expect(faultOf(() => reader.write(Buffer.from(bad, "latin1")))?.code).toBe(code);
    });
});

describe("BundleReader accepts", () => {
  for (const [name, image, version] of [
    ["an image of the simulated console", IMAGE, "1.2.3"],
    ["an image of the simulated console with bytes after its program", joined(IMAGE, IMAGE), "1.2.3"],
    ["an image without a program", simulatorImage(0), "1.2.3"],
    ["an image of an ESP32-S3", espImage(), "2.0.1"],
  ] as const)
    test(`${name}, and passes on all of it`, async () => {
      const { content, imageBytes, image: header } = await readBundle(bundleOf(image));
      expect(content).toEqual(image);
      expect(imageBytes).toBe(image.length);
      expect(header.version).toBe(version);
    });

  test("pieces of any size, with the same result", { timeout: 30_000 }, async () => {
    const damage = fc.oneof(
      fc.constant(BUNDLE),
      fc.nat(8 * BUNDLE.length - 1).map((bit) => flipped(BUNDLE, bit)),
      fc.nat(BUNDLE.length).map((length) => BUNDLE.subarray(0, length)),
      fc.uint8Array({ minLength: 1, maxLength: 90 }).map((more) => joined(BUNDLE, more)),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(damage, sizes, async (bundle, pieces) => {
        const whole = await refusal(bundle);
        expect(await refusal(bundle, { sizes: pieces })).toBe(whole);
        if (whole === undefined)
          expect(await readBundle(bundle, { sizes: pieces })).toEqual(await readBundle(bundle));
      }),
      { numRuns: 200 },
    );
  });

  test("the image as views of the pieces, without a copy", () => {
    const seen: (readonly [offset: number, length: number])[] = [];
    const reader = newReader();
    for (const [from, to] of [
      [0, 70],
      [70, 78],
      [78, 78],
      [78, 100],
      [100, BUNDLE.length],
    ] as const) {
      const image = reader.write(BUNDLE.subarray(from, to));
      expect(image.buffer).toBe(BUNDLE.buffer);
      if (image.length > 0) seen.push([image.byteOffset, image.length]);
    }
    expect(seen).toEqual([
      [78, 22],
      [100, BUNDLE.length - 100],
    ]);
  });

  test("bytes with the number received, and the total once the header is complete", () => {
    const reader = newReader();
    const facts = () => [reader.receivedBytes, reader.totalBytes, reader.header?.imageBytes];
    expect(facts()).toEqual([0, undefined, undefined]);
    reader.write(BUNDLE.subarray(0, 77));
    expect(facts()).toEqual([77, undefined, undefined]);
    reader.write(BUNDLE.subarray(77, 78));
    expect(facts()).toEqual([78, BUNDLE.length, IMAGE.length]);
    reader.write(BUNDLE.subarray(78));
    expect(facts()).toEqual([BUNDLE.length, BUNDLE.length, IMAGE.length]);
  });

  test("nothing more after a rejection", async () => {
    const refused = fc.oneof(
      fc.nat(8 * 6 - 1).map((bit) => flipped(BUNDLE, bit)),
      fc.constant(bundleOf(IMAGE, { lengthError: -1 })),
      fc.constant(joined(BUNDLE, BUNDLE)),
    );
    await fc.assert(
      fc.asyncProperty(refused, fc.integer({ min: 1, max: 1300 }), async (bytes, pieceBytes) => {
        const reader = newReader();
        let faults = 0;
        const write = (piece: Uint8Array) => {
          try {
            reader.write(piece);
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
            faults++;
          }
        };
        for (let at = 0; at < bytes.length; at += pieceBytes) write(bytes.subarray(at, at + pieceBytes));
        expect(faults).toBeGreaterThan(0);
        const ending = { pause: async () => {}, isTrusted: async () => true };
        await expect(reader.end(ending)).rejects.toMatchObject({ code: "bundle_length" });
      }),
    );
  });
});

describe("Pieces whose CRC-32 is known", () => {
  const checksumOf = (piece: Uint8Array) => new NodeCrc32().checksum(piece);

  test.each([1, 7, 85, 86, 100, 2048, 1_000_000])("of %d bytes are not read for it again", async (size) => {
    expect(await readBundle(BUNDLE, { sizes: [size], checksumOf })).toMatchObject({ content: IMAGE });
  });

  test("are taken at their word: another CRC-32 is that of another image", async () => {
    const wrong = (piece: Uint8Array) => (checksumOf(piece) ^ 1) >>> 0;
    expect(await refusal(BUNDLE, { sizes: [100], checksumOf: wrong })).toBe("bundle_crc");
  });
});
