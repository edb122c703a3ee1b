/** Contract of every Digest, with the vectors of FIPS 180-4 and RFC 6234 §8.5. */
import type { DigestAlgorithm, DigestConstructor } from "../../protocol/ports/crypto.js";
import { ascii, bytesOf, type ContractCase, equal, equalBytes, throws } from "./assert.js";

interface DigestVector {
  readonly algorithm: DigestAlgorithm;
  readonly name: string;
  readonly message: Uint8Array;
  readonly digest: string;
}

const TWO_BLOCKS = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const TWO_LONG_BLOCKS =
  "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

const VECTORS: readonly DigestVector[] = [
  {
    algorithm: "SHA1",
    name: "no bytes",
    message: ascii(""),
    digest: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  },
  {
    algorithm: "SHA1",
    name: "abc",
    message: ascii("abc"),
    digest: "a9993e364706816aba3e25717850c26c9cd0d89d",
  },
  {
    algorithm: "SHA1",
    name: "two blocks",
    message: ascii(TWO_BLOCKS),
    digest: "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
  },
  {
    algorithm: "SHA256",
    name: "no bytes",
    message: ascii(""),
    digest: "e3b0c44298fc1c149afbf4c8996fb924 27ae41e4649b934ca495991b7852b855",
  },
  {
    algorithm: "SHA256",
    name: "abc",
    message: ascii("abc"),
    digest: "ba7816bf8f01cfea414140de5dae2223 b00361a396177a9cb410ff61f20015ad",
  },
  {
    algorithm: "SHA256",
    name: "two blocks",
    message: ascii(TWO_BLOCKS),
    digest: "248d6a61d20638b8e5c026930c3e6039 a33ce45964ff2167f6ecedd419db06c1",
  },
  {
    algorithm: "SHA512",
    name: "no bytes",
    message: ascii(""),
    digest: `cf83e1357eefb8bdf1542850d66d8007 d620e4050b5715dc83f4a921d36ce9ce
      47d0d13c5d85f2b0ff8318d2877eec2f 63b931bd47417a81a538327af927da3e`,
  },
  {
    algorithm: "SHA512",
    name: "abc",
    message: ascii("abc"),
    digest: `ddaf35a193617abacc417349ae204131 12e6fa4e89a97ea20a9eeee64b55d39a
      2192992a274fc1a836ba3c23a3feebbd 454d4423643ce80e2a9ac94fa54ca49f`,
  },
  {
    algorithm: "SHA512",
    name: "two blocks",
    message: ascii(TWO_LONG_BLOCKS),
    digest: `8e959b75dae313da8cf4f72814fc143f 8f7779c6eb9f7fa17299aeadb6889018
      501d289e4900f7e4331b99dec4b5433a c7d329eeb6dd26545e96e55b874be909`,
  },
];

/** A million times `a` (RFC 6234 §8.5, TEST3), too large for one buffer on a board. */
const MILLION: Readonly<Record<DigestAlgorithm, string>> = {
  SHA1: "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
  SHA256: "cdc76e5c9914fb9281a1c7e284d73e67 f1809a48a497200e046d39ccc7112cd0",
  SHA512: `e718483d0ce769644e2e42c7bc15b463 8e1f98b13b2044285632a803afa973eb
    de0ff244877ea60a4cb0432ce577c31b eb009c5c2c49aa2e4eadb217ad8cc09b`,
};

/** Digest of the concatenated digests of 0 to 300 times `a`, by Python's hashlib: covers every padding length. */
const ALL_LENGTHS: Readonly<Record<DigestAlgorithm, string>> = {
  SHA1: "9c723e6d1a3322c163723daf00acf97e827fb5a0",
  SHA256: "e8e4a8cfe049153f6f930f2156161a5b 19bb9b3dc4b698c20e4d44a29d7f9526",
  SHA512: `b0252e29bae50b5a42c84d684a695d3c e9eb9f45564b98f09503ce01bcdc907c
    14d2fad620cea072e46915da1321a945 dee073b717b9c105a6a57beb402eddc5`,
};

const ALGORITHMS: readonly DigestAlgorithm[] = ["SHA1", "SHA256", "SHA512"];

export const DIGEST_CONTRACT: readonly ContractCase<DigestConstructor>[] = [
  ...VECTORS.map(({ algorithm, name, message, digest }) => ({
    name: `${algorithm} digests ${name} as in the standard`,
    run(Digest: DigestConstructor) {
      const whole = new Digest(algorithm);
      whole.write(message);
      equalBytes(whole.close(), bytesOf(digest));
    },
  })),
  ...VECTORS.map(({ algorithm, name, message, digest }) => ({
    name: `${algorithm} digests ${name} the same for any split in two`,
    run(Digest: DigestConstructor) {
      for (let split = 0; split <= message.length; split++) {
        const pieces = new Digest(algorithm);
        pieces.write(message.subarray(0, split));
        pieces.write(message.subarray(split));
        equalBytes(pieces.close(), bytesOf(digest), `digest of ${split} bytes and the rest`);
      }
    },
  })),
  ...ALGORITHMS.map((algorithm) => ({
    name: `${algorithm} digests a million bytes in pieces`,
    run(Digest: DigestConstructor) {
      const digest = new Digest(algorithm);
      const piece = new Uint8Array(1000).fill(0x61);
      for (let count = 0; count < 1000; count++) digest.write(piece);
      equalBytes(digest.close(), bytesOf(MILLION[algorithm]));
    },
  })),
  ...ALGORITHMS.map((algorithm) => ({
    name: `${algorithm} pads messages of each length up to 300 bytes`,
    run(Digest: DigestConstructor) {
      const all = new Digest(algorithm);
      const message = new Uint8Array(300).fill(0x61);
      for (let length = 0; length <= message.length; length++) {
        const digest = new Digest(algorithm);
        digest.write(message.subarray(0, length));
        all.write(new Uint8Array(digest.close()));
      }
      equalBytes(all.close(), bytesOf(ALL_LENGTHS[algorithm]));
    },
  })),
  {
    name: "a closed digest throws at close() and write()",
    run(Digest) {
      const digest = new Digest("SHA256");
      digest.close();
      throws(() => digest.close(), "a second close");
      throws(() => digest.write(ascii("abc")), "a write after close");
    },
  },
  {
    name: "concurrent digests are independent",
    run(Digest) {
      const abc = new Digest("SHA1");
      const nothing = new Digest("SHA1");
      abc.write(ascii("abc"));
      equalBytes(nothing.close(), bytesOf("da39a3ee5e6b4b0d3255bfef95601890afd80709"));
      equalBytes(abc.close(), bytesOf("a9993e364706816aba3e25717850c26c9cd0d89d"));
    },
  },
  {
    name: "write() reads a view only within its bounds",
    run(Digest) {
      const digest = new Digest("SHA1");
      digest.write(ascii("xxabcxx").subarray(2, 5));
      equalBytes(digest.close(), bytesOf("a9993e364706816aba3e25717850c26c9cd0d89d"));
    },
  },
  {
    name: "the constructor rejects an unknown algorithm",
    run(Digest) {
      for (const algorithm of ["MD5", "sha256", "", "SHA2567"])
        throws(() => new Digest(algorithm as DigestAlgorithm), `"${algorithm}"`);
    },
  },
  {
    name: "write() rejects arguments that are not bytes, and ignores them",
    run(Digest) {
      const digest = new Digest("SHA1");
      for (const value of [undefined, null, 1, {}])
        throws(() => digest.write(value as unknown as Uint8Array), `writing ${value}`);
      equal(digest.close().byteLength, 20, "bytes of the digest");
    },
  },
];
