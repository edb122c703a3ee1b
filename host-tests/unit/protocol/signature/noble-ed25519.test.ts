/** What is easy to get wrong about Ed25519 on noble's arithmetic, and what its vectors do not contain. */
import { describe, expect, test } from "vitest";
import { nobleEd25519 } from "../../../../protocol/noble/noble-ed25519.js";

const FIELD = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** 32 bytes, least significant first. */
const bytesOf = (number: bigint) =>
  Uint8Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * at)) & 255n));

describe("Ed25519", () => {
  test("takes the encodings of points whose y is not reduced, as OpenSSL does", () => {
    // Of y = p to p + 18, these are on the curve and not of small order.
    for (const above of [3n, 4n, 5n, 6n, 9n, 10n, 14n, 15n, 16n, 18n])
      expect(nobleEd25519.isPublicKey(bytesOf(FIELD + above)), `p + ${above}`).toBe(true);
    for (const above of [0n, 1n, 2n, 7n, 8n, 11n, 12n, 13n, 17n])
      expect(nobleEd25519.isPublicKey(bytesOf(FIELD + above)), `p + ${above}`).toBe(false);
  });

  test("rejects an S of the group's order, where the equation alone would hold (RFC 8032 §5.1.7)", () => {
    const identity = bytesOf(1n); // as the key and as R: 0 · B = R + k · A
    const digest = new Uint8Array(64);
    const signature = (s: bigint) => Uint8Array.of(...identity, ...bytesOf(s));
    expect(nobleEd25519.holds(signature(0n), identity, digest)).toBe(true);
    expect(nobleEd25519.holds(signature(ORDER), identity, digest)).toBe(false);
    expect(nobleEd25519.holds(signature(2n * ORDER), identity, digest)).toBe(false);
  });

  test("names the length that is wrong", () => {
    const [signature, key, digest] = [new Uint8Array(64), new Uint8Array(32), new Uint8Array(64)];
    const short = new Uint8Array(31);
    expect(() => nobleEd25519.holds(short, key, digest)).toThrow(
      "Cannot check a signature of 31 bytes, it has 64",
    );
    expect(() => nobleEd25519.holds(signature, short, digest)).toThrow(
      "Cannot check a public key of 31 bytes, it has 32",
    );
    expect(() => nobleEd25519.holds(signature, key, short)).toThrow(
      "Cannot check a digest of 31 bytes, it has 64",
    );
    expect(() => nobleEd25519.isPublicKey(short)).toThrow("Cannot check a public key of 31 bytes, it has 32");
  });
});
