import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { BUNDLE_HEADER_BYTES } from "../../../../protocol/firmware/bundle-header.js";
import { KEYS_OF_PASS, type KeptImage } from "../../../../protocol/firmware/bundle-reader.js";
import { CandidateKeysReader } from "../../../../protocol/keys/trusted-keys.js";
import { nodeBase64, nodeMemory } from "../../../hosts/node-bytes.js";
import { newKeys, pem, writeCertificate } from "../keys/certificate-writer.js";
import { countingDigest } from "../signature/counting-digest.js";
import {
  bundleOf,
  FOREIGNER,
  keysOf,
  newReader,
  newSigner,
  type ReadingOptions,
  refusal,
  SIGNER,
  simulatorImage,
} from "./bundling.js";

const IMAGE = simulatorImage(1000);
const BUNDLE = bundleOf(IMAGE);

describe("The keys of a bundle", () => {
  const others = Array.from({ length: 99 }, () => newSigner().publicKey);

  for (const place of [0, 50, 99])
    test(`may be 100, and the signer may be number ${place}`, async () => {
      const keys = [...others.slice(0, place), SIGNER.publicKey, ...others.slice(place)];
      expect(await refusal(BUNDLE, { keys, sizes: [300] })).toBeUndefined();
    });

  test("do not match when there are none, or only others", async () => {
    expect(await refusal(BUNDLE, { keys: [] })).toBe("signature_invalid");
    expect(await refusal(BUNDLE, { keys: others })).toBe("signature_invalid");
  });

  test("are requested once, when the header is complete", () => {
    for (const size of [1, 7, 78, 79, BUNDLE.length]) {
      let calls = 0;
      const reader = newReader({
        openKeys() {
          calls++;
          expect(reader.receivedBytes).toBeGreaterThanOrEqual(BUNDLE_HEADER_BYTES);
          return keysOf([SIGNER.publicKey]).openKeys();
        },
      });
      for (let at = 0; at < BUNDLE.length; at += size) {
        const image = reader.write(BUNDLE.subarray(at, at + size));
        expect(calls).toBe(at + size >= BUNDLE_HEADER_BYTES ? 1 : 0);
        if (calls === 0) expect(image).toHaveLength(0);
      }
    }
  });

  test("are asked for trust only if the signature matches, and the bundle is rejected if they are not trusted", async () => {
    const asked: Uint8Array[] = [];
    const isTrusted = async (publicKey: Uint8Array) => {
      asked.push(publicKey.slice());
      return false;
    };
    const keys = [...others.slice(0, 3), SIGNER.publicKey, ...others.slice(3, 6)];
    expect(await refusal(BUNDLE, { keys, isTrusted })).toBe("signature_invalid");
    expect(asked).toEqual([SIGNER.publicKey]);
  });

  test("are not asked for trust if the bundle has another length", async () => {
    const isTrusted = () => expect.fail("the length is told first");
    expect(await refusal(BUNDLE.subarray(0, -1), { isTrusted })).toBe("bundle_length");
  });

  test("may come from a file with keys and certificates", async () => {
    const [root, publisher] = [newKeys(), newKeys()];
    const certificate = { subject: "publisher", issuer: "root", keys: publisher, signer: root };
    const file =
      pem("PUBLIC KEY", root.spki) +
      pem("CERTIFICATE", writeCertificate(certificate)) +
      pem("X509 CRL", root.spki);
    const keys: Uint8Array[] = [];
    const reader = new CandidateKeysReader({
      base64: nodeBase64,
      role: "firmware",
      onKey: (key) => keys.push(key.slice()),
    });
    reader.write(new TextEncoder().encode(file));
    reader.end();
    for (const [signer, code] of [
      [root, undefined],
      [publisher, undefined],
      [SIGNER, "signature_invalid"],
    ] as const)
      expect(await refusal(bundleOf(IMAGE, { signer }), { keys })).toBe(code);
  });

  test("leave no digest open after the end of a bundle, whatever its outcome", async () => {
    const keys = [SIGNER.publicKey, ...others.slice(0, 9)];
    const { Digest, open } = countingDigest();
    for (const bytes of [BUNDLE, BUNDLE.subarray(0, -1), bundleOf(IMAGE, { signer: FOREIGNER })]) {
      await refusal(bytes, { Digest, keys });
      expect(open()).toBe(0);
    }
  });

  test("are closed, with their digests, when a bundle is abandoned or the keys cannot be read", () => {
    const { Digest, open } = countingDigest();
    for (const fails of [false, true]) {
      const { openKeys, opened } = keysOf(others.slice(0, 9));
      const reader = newReader({
        Digest,
        openKeys() {
          const keys = openKeys();
          const next = () => {
            if (fails && opened.taken === 9)
              throw new Fault("out_of_memory", "There is no room for more keys");
            return keys.next();
          };
          return { ...keys, next };
        },
      });
      const write = () => reader.write(BUNDLE.subarray(0, 500));
      if (fails) expect(write).toThrow("no room");
      else write();
      expect(open()).toBe(9);
      reader.close();
      reader.close();
      expect(open()).toBe(0);
      expect(opened.isClosed).toBe(true);
    }
  });
});

describe("More keys than digests at a time", { timeout: 60_000 }, () => {
  const others = Array.from({ length: 999 }, () => newSigner().publicKey);
  const withSigner = (place: number) => [...others.slice(0, place), SIGNER.publicKey, ...others.slice(place)];

  /** What was kept, in reads of at most so many bytes. */
  function kept(content: Uint8Array, atMost = Number.POSITIVE_INFINITY) {
    let readBytes = 0;
    const read = (into: Uint8Array, offset: number) => {
      const piece = content.subarray(offset, offset + Math.min(into.length, atMost));
      into.set(piece);
      readBytes += piece.length;
      return piece.length;
    };
    const image: KeptImage = { memory: nodeMemory, read };
    return { image, passes: () => readBytes / IMAGE.length };
  }

  /** Most digests that were open at a time. */
  function digestsOf() {
    const { Digest, open } = countingDigest();
    let most = 0;
    class Watched extends Digest {
      constructor(algorithm: ConstructorParameters<typeof Digest>[0]) {
        super(algorithm);
        most = Math.max(most, open());
      }
    }
    return { Digest: Watched, open, most: () => most };
  }

  const TAKEN = [
    { name: "the first", place: 0, passes: 0 },
    { name: "the last of the first pass", place: KEYS_OF_PASS - 1, passes: 0 },
    { name: "the first of the second pass", place: KEYS_OF_PASS, passes: 1 },
    { name: "one in the second pass", place: KEYS_OF_PASS + 20, passes: 1 },
    { name: "the last of 1,000", place: 999, passes: Math.floor(999 / KEYS_OF_PASS) },
  ];
  for (const { name, place, passes } of TAKEN)
    test(`are tried in passes until ${name} has signed`, async () => {
      const again = kept(IMAGE, 300);
      const digests = digestsOf();
      const { Digest } = digests;
      expect(await refusal(BUNDLE, { Digest, keys: withSigner(place), kept: again.image })).toBeUndefined();
      expect(again.passes()).toBe(passes);
      expect(digests.most()).toBeLessThanOrEqual(KEYS_OF_PASS);
      expect(digests.open()).toBe(0);
    });

  test("reject a bundle that only others have signed, each being tried once", async () => {
    const again = kept(IMAGE);
    const { Digest, open } = digestsOf();
    expect(await refusal(BUNDLE, { Digest, keys: others, kept: again.image })).toBe("signature_invalid");
    expect(again.passes()).toBe(Math.ceil(others.length / KEYS_OF_PASS) - 1);
    expect(open()).toBe(0);
  });

  test("are all tried in one pass if nothing can be read again", async () => {
    expect(await refusal(BUNDLE, { keys: withSigner(300) })).toBeUndefined();
  });

  test("are all tried even if they are equal", async () => {
    const keys = [...Array.from({ length: 3 * KEYS_OF_PASS }, () => FOREIGNER.publicKey), SIGNER.publicKey];
    expect(await refusal(BUNDLE, { keys, kept: kept(IMAGE).image })).toBeUndefined();
  });

  /** With a third pass to come. */
  const second = (options: ReadingOptions) => ({
    keys: withSigner(KEYS_OF_PASS).slice(0, 3 * KEYS_OF_PASS),
    ...options,
  });

  test("are tried on the stored bytes, which do not match if they changed", async () => {
    for (const at of [0, 500, IMAGE.length - 1]) {
      const changed = Uint8Array.from(IMAGE);
      changed[at] = (changed[at] as number) ^ 1;
      expect(await refusal(BUNDLE, second({ kept: kept(changed).image }))).toBe("signature_invalid");
    }
  });

  test("leave CRC-32 and image to be checked in the last pass, too", async () => {
    const nothing = new Uint8Array(1000);
    const FLAWS = [
      { bundle: bundleOf(IMAGE, { crcError: 1 }), image: IMAGE, code: "bundle_crc" },
      { bundle: bundleOf(nothing), image: nothing, code: "image_invalid" },
    ];
    for (const { bundle, image, code } of FLAWS)
      expect(await refusal(bundle, second({ kept: kept(image).image }))).toBe(code);
  });

  test("are abandoned if the stored bytes end too early, or cannot be read", async () => {
    const { Digest, open } = digestsOf();
    const short = kept(IMAGE.subarray(0, -1)).image;
    await expect(refusal(BUNDLE, second({ Digest, kept: short }))).rejects.toThrow("after 1127 bytes");
    const read = () => {
      throw new Fault("storage_full", "The flash cannot be read");
    };
    const unreadable = { memory: nodeMemory, read };
    expect(await refusal(BUNDLE, second({ Digest, kept: unreadable }))).toBe("storage_full");
    expect(open()).toBe(0);
  });
});
