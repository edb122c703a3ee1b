import { Point } from "@noble/ed25519";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SignatureCheck, verifySignature } from "../../../../protocol/signature/ed25519.js";
import { NodeDigest, nodeSignatures } from "../../../hosts/node-bytes.js";
import { isMissing } from "../../../hosts/peers.js";
import { bitsInTier, inTier } from "../../../tier.js";
import {
  edgeEncodings,
  edgeVectors,
  encoded,
  holdsInNode,
  lineVectors,
  mixedOrderVectors,
  rfcVectors,
  signed,
  smallOrderVectors,
  type Vector,
} from "./vectors.js";

const { ed25519 } = nodeSignatures;
const holds = (vector: Vector) => verifySignature({ ...vector, ...nodeSignatures });

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

function hex(digits: string): Uint8Array {
  return Uint8Array.from(Buffer.from(digits, "hex"));
}

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

/** RFC 8032 §7.1, "TEST SHA(abc)", which is missing in the files. */
function shaVector(): Vector {
  const digest = new NodeDigest("SHA512");
  digest.write(new TextEncoder().encode("abc"));
  return {
    name: "RFC 8032, SHA(abc)",
    publicKey: hex("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf"),
    message: new Uint8Array(digest.close()),
    signature: hex(
      "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589" +
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
  };
}

/** Of a file with a thousand vectors, most runs take every eighth. */
const LONG_STEP = inTier({ quick: 8, sample: 1, nightly: 1 });

describe.skipIf(isMissing("testdata"))("Vectors (skipped where ../shared/testdata is absent)", () => {
  const FILES = [
    { name: "of RFC 8032", read: rfcVectors, cases: 4, holding: 4 },
    { name: "of the original implementation", read: lineVectors, cases: 1024, holding: 1024 },
    { name: "of small order", read: smallOrderVectors, cases: 196, holding: 12 },
    { name: "that libraries judge differently", read: edgeVectors, cases: 12, holding: 5 },
  ];
  for (const { name, read, cases, holding } of FILES)
    test(`${name} get the same verdict as from OpenSSL`, { timeout: 30_000 }, () => {
      const vectors = read();
      expect(vectors).toHaveLength(cases);
      expect(vectors.filter(holdsInNode)).toHaveLength(holding);
      const step = cases > 1000 ? LONG_STEP : 1;
      for (const vector of vectors.filter((_, index) => index % step === 0))
        expect(holds(vector), vector.name).toBe(holdsInNode(vector));
    });
});

describe("A signature", () => {
  test("over SHA-512 of abc is valid (RFC 8032 §7.1)", () => expect(holds(shaVector())).toBe(true));

  test("of any key over any message is valid", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (message) => holds(signed(message))),
      { numRuns: 50 },
    );
  });

  test("with any bit of it or of the digest flipped is invalid", { timeout: 30_000 }, () => {
    const vector = signed(new Uint8Array(32).fill(7));
    for (const bit of bitsInTier(vector.signature))
      expect(holds({ ...vector, signature: flipped(vector.signature, bit) }), `bit ${bit}`).toBe(false);
    for (const bit of bitsInTier(vector.message))
      expect(holds({ ...vector, message: flipped(vector.message, bit) }), `bit ${bit}`).toBe(false);
  });

  test("is invalid for another key", () => {
    const vector = signed(new Uint8Array(32));
    expect(holds({ ...vector, publicKey: signed(new Uint8Array(32)).publicKey })).toBe(false);
  });

  test("gets the same verdict as from OpenSSL, under random and edge-case keys and signatures", () => {
    const edge = fc.constantFrom(...edgeEncodings());
    const part = fc.oneof(edge, fc.uint8Array({ minLength: 32, maxLength: 32 }));
    fc.assert(
      fc.property(part, part, part, fc.uint8Array({ maxLength: 4 }), (publicKey, r, s, message) => {
        const vector = { name: "", publicKey, message, signature: Uint8Array.from([...r, ...s]) };
        expect(holds(vector)).toBe(holdsInNode(vector));
      }),
      { numRuns: 300 },
    );
  });

  test("by a key of mixed order gets the same verdict as from OpenSSL", () => {
    const vectors = mixedOrderVectors();
    for (const vector of vectors) expect(holds(vector), vector.name).toBe(holdsInNode(vector));
    expect(vectors.map(holdsInNode)).toContain(false);
  });

  test("is invalid with the order added to S", () => {
    const vector = signed(new Uint8Array(32));
    const s = encoded(numberOf(vector.signature.subarray(32)) + Point.CURVE().n);
    const signature = Uint8Array.from([...vector.signature.subarray(0, 32), ...s]);
    expect(holds({ ...vector, signature })).toBe(false);
  });
});

describe("SignatureCheck", () => {
  test("gives the same verdict however the message is split", () => {
    const vector = signed(Uint8Array.from({ length: 40 }, (_, index) => index));
    for (let at = 0; at <= vector.message.length; at++) {
      const check = new SignatureCheck({ ...vector, ...nodeSignatures });
      check.write(vector.message.subarray(0, at));
      check.write(vector.message.subarray(at));
      expect(check.holds()).toBe(true);
    }
  });

  for (const [field, length] of [
    ["signature", 63],
    ["signature", 65],
    ["publicKey", 31],
    ["publicKey", 33],
  ] as const)
    test(`rejects a ${field} of ${length} bytes`, () => {
      const options = { ...shaVector(), ...nodeSignatures, [field]: new Uint8Array(length) };
      expect(() => new SignatureCheck(options)).toThrow(RangeError);
    });
});

describe("The curve in Node", () => {
  for (const field of ["signature", "publicKey", "digest"] as const)
    test(`rejects a ${field} of another length`, () => {
      const { signature, publicKey } = shaVector();
      const parts = { signature, publicKey, digest: new Uint8Array(64), [field]: new Uint8Array(63) };
      expect(() => ed25519.holds(parts.signature, parts.publicKey, parts.digest)).toThrow(RangeError);
    });
});

describe("A public key", () => {
  test("is usable if it is a point of large order", () => {
    expect(ed25519.isPublicKey(shaVector().publicKey)).toBe(true);
    expect(ed25519.isPublicKey(Point.BASE.toBytes())).toBe(true);
  });

  test("has 32 bytes", () => {
    for (const length of [0, 31, 33])
      expect(() => ed25519.isPublicKey(new Uint8Array(length))).toThrow(RangeError);
  });

  test("is not usable if it is no point", () => {
    expect(ed25519.isPublicKey(encoded(2n))).toBe(false);
  });

  test.skipIf(isMissing("testdata"))("is not usable if its order is small (skipped without testdata)", () => {
    for (const { publicKey, name } of smallOrderVectors())
      expect(ed25519.isPublicKey(publicKey), name).toBe(false);
  });
});
