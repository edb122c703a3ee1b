import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifySignature } from "../../../../protocol/signature/ed25519.js";
import { SignatureChecks } from "../../../../protocol/signature/signature-checks.js";
import { nodeSignatures } from "../../../hosts/node-bytes.js";
import { isMissing } from "../../../hosts/peers.js";
import { countingDigest } from "./counting-digest.js";
import { holdsInNode, smallOrderVectors } from "./vectors.js";

const MESSAGE = Uint8Array.from({ length: 300 }, (_, index) => index);

interface Signer {
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}

function newSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: Uint8Array.from(publicKey.export({ format: "der", type: "spki" }).subarray(-32)),
    privateKey,
  };
}

const SIGNERS = Array.from({ length: 100 }, newSigner);
const signer = (index: number) => SIGNERS[index] as Signer;
const signatureOf = (index: number, message = MESSAGE) =>
  Uint8Array.from(sign(null, message, signer(index).privateKey));

interface Checking {
  readonly signature: Uint8Array;
  readonly publicKeys: readonly Uint8Array[];
  readonly message?: Uint8Array;
  readonly pieceBytes?: number;
  readonly pause?: () => Promise<void>;
}

/** The keys under which it holds. */
async function holdingKeys(checking: Checking): Promise<Uint8Array[]> {
  const { signature, publicKeys, message = MESSAGE, pieceBytes = 64, pause = async () => {} } = checking;
  const checks = new SignatureChecks({ signature, ...nodeSignatures });
  for (const publicKey of publicKeys) checks.add(publicKey);
  for (let at = 0; at < message.length; at += pieceBytes) checks.write(message.subarray(at, at + pieceBytes));
  const keys: Uint8Array[] = [];
  for (let key = await checks.next(pause); key; key = await checks.next(pause)) keys.push(key);
  expect(await checks.next(pause)).toBeUndefined();
  return keys;
}

const publicKeys = SIGNERS.map(({ publicKey }) => publicKey);

describe("SignatureChecks", () => {
  for (const index of [0, 1, 3, 4, 50, 99])
    test(`finds the signer's key, number ${index} of 100`, async () => {
      expect(await holdingKeys({ signature: signatureOf(index), publicKeys })).toEqual([publicKeys[index]]);
    });

  test("finds no key if another one has signed, or if there are none", async () => {
    const foreign = publicKeys.slice(0, 5);
    expect(await holdingKeys({ signature: signatureOf(7), publicKeys: foreign })).toEqual([]);
    expect(await holdingKeys({ signature: signatureOf(7), publicKeys: [] })).toEqual([]);
  });

  test("finds no key if a bit of the message differs", async () => {
    for (const place of [0, 150, 299]) {
      const message = Uint8Array.from(MESSAGE);
      message[place] = (message[place] as number) ^ 1;
      const found = await holdingKeys({
        signature: signatureOf(0),
        publicKeys: [signer(0).publicKey],
        message,
      });
      expect(found, `byte ${place}`).toEqual([]);
    }
  });

  test("treats 32 bytes that are no point as not matching, and continues", async () => {
    const noPoint = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 2 : 0));
    expect(nodeSignatures.ed25519.isPublicKey(noPoint)).toBe(false);
    const publicKeys = [noPoint, signer(7).publicKey, noPoint.map((byte) => 255 - byte)];
    expect(await holdingKeys({ signature: signatureOf(7), publicKeys })).toEqual([signer(7).publicKey]);
  });

  test("keeps a key once that is added twice", async () => {
    const checks = new SignatureChecks({ signature: signatureOf(0), ...nodeSignatures });
    for (const index of [0, 1, 0, 1, 2]) checks.add(signer(index).publicKey);
    expect(checks.length).toBe(3);
  });

  test("copies a key", async () => {
    const checks = new SignatureChecks({ signature: signatureOf(0), ...nodeSignatures });
    const bytes = Uint8Array.from(signer(0).publicKey);
    checks.add(bytes);
    bytes.fill(0);
    checks.write(MESSAGE);
    expect(await checks.next(async () => {})).toEqual(signer(0).publicKey);
  });

  test.skipIf(isMissing("testdata"))(
    "finds every key under which a signature is valid, in their order (skipped without testdata)",
    async () => {
      // Under several keys of small order, a forged signature verifies.
      const vectors = smallOrderVectors();
      const { signature } = vectors.find(holdsInNode) ?? expect.fail("no signature holds");
      const message = new TextEncoder().encode("Zcash");
      const keys = [...new Map(vectors.map(({ publicKey }) => [publicKey.join(), publicKey])).values()];
      const expected = keys.filter((publicKey) => holdsInNode({ name: "", publicKey, message, signature }));
      expect(expected.length).toBeGreaterThan(1);
      expect(await holdingKeys({ signature, publicKeys: keys, message })).toEqual(expected);
    },
  );

  test("agrees with verifySignature for every key, however the message is split", {
    timeout: 30_000,
  }, async () => {
    const input = fc.record({
      message: fc.uint8Array({ maxLength: 300 }),
      pieceBytes: fc.integer({ min: 1, max: 301 }),
      keys: fc.shuffledSubarray(publicKeys.slice(0, 5)),
      signedBy: fc.nat(4),
      flipped: fc.option(fc.nat(511), { nil: undefined, freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ message, pieceBytes, keys, signedBy, flipped }) => {
        const signature = signatureOf(signedBy, message);
        if (flipped !== undefined)
          signature[flipped >> 3] = (signature[flipped >> 3] as number) ^ (1 << (flipped & 7));
        const expected = keys.filter((publicKey) =>
          verifySignature({ signature, publicKey, message, ...nodeSignatures }),
        );
        expect(await holdingKeys({ signature, publicKeys: keys, message, pieceBytes })).toEqual(expected);
      }),
    );
  });

  test("yields before each key", async () => {
    let turns = 0;
    const pause = async () => {
      turns++;
    };
    await holdingKeys({ signature: signatureOf(9), publicKeys: publicKeys.slice(0, 3), pause });
    expect(turns).toBe(3);
  });

  test("closes every digest once, whatever the result", async () => {
    const { Digest, open } = countingDigest();
    for (const decided of [0, 1, 3]) {
      const checks = new SignatureChecks({ ...nodeSignatures, signature: signatureOf(0), Digest });
      for (const publicKey of publicKeys.slice(0, 3)) checks.add(publicKey);
      expect(open()).toBe(3);
      checks.write(MESSAGE);
      for (let count = 0; count < decided; count++) await checks.next(async () => {});
      checks.close();
      checks.close();
      expect(open()).toBe(0);
      expect(await checks.next(async () => {})).toBeUndefined();
    }
  });

  for (const length of [63, 65])
    test(`rejects a signature of ${length} bytes`, () => {
      const signature = new Uint8Array(length);
      expect(() => new SignatureChecks({ signature, ...nodeSignatures })).toThrow(RangeError);
    });

  for (const length of [31, 33])
    test(`rejects a key of ${length} bytes`, () => {
      const checks = new SignatureChecks({ signature: signatureOf(0), ...nodeSignatures });
      expect(() => checks.add(new Uint8Array(length))).toThrow(RangeError);
    });
});
