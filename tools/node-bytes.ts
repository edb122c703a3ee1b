/** Implements the ports for digests, CRC and base64 with Node's own functions, so that `protocol/` runs on Node. */
import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Crc32, Digest, DigestAlgorithm } from "../protocol/ports/crypto.js";
import type { Base64 } from "../protocol/ports/runtime.js";

const ALGORITHMS: ReadonlySet<string> = new Set(["SHA1", "SHA256", "SHA512"]);

export class NodeDigest implements Digest {
  #hash: Hash | undefined;

  constructor(algorithm: DigestAlgorithm) {
    if (!ALGORITHMS.has(algorithm)) throw new RangeError(`Cannot digest with "${algorithm}"`);
    this.#hash = createHash(algorithm);
  }

  write(bytes: Uint8Array): void {
    this.#open().update(bytes);
  }

  close(): ArrayBuffer {
    const digest = this.#open().digest();
    this.#hash = undefined;
    return Uint8Array.from(digest).buffer;
  }

  #open(): Hash {
    if (!this.#hash) throw new Error("Cannot use a closed digest");
    return this.#hash;
  }
}

export class NodeCrc32 implements Crc32 {
  #checksum = 0;

  checksum(bytes: Uint8Array): number {
    this.#checksum = crc32(bytes, this.#checksum);
    return this.#checksum;
  }

  append(checksum: number, byteLength: number): number {
    if (!isUnsigned(checksum) || !isUnsigned(byteLength))
      throw new RangeError("no checksum, or no number of bytes");
    // x to the 8th is what a byte multiplies a remainder by; the highest bit is that of x to the 0.
    let power = 0x0080_0000;
    for (let rest = byteLength; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) this.#checksum = product(power, this.#checksum);
      power = product(power, power);
    }
    this.#checksum = (this.#checksum ^ checksum) >>> 0;
    return this.#checksum;
  }
}

function isUnsigned(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

/** The product of two polynomials, modulo that of CRC-32. */
function product(one: number, other: number): number {
  let sum = 0;
  let shifted = other;
  for (let bit = 31; bit >= 0; bit--) {
    if ((one >>> bit) & 1) sum ^= shifted;
    shifted = (shifted >>> 1) ^ (shifted & 1 ? 0xedb8_8320 : 0);
  }
  return sum >>> 0;
}

/** Grammar of RFC 4648 §4, since Node's decoder skips unknown characters. */
const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const nodeBase64: Base64 = Object.freeze({
  encode: (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"),
  decode(text: string) {
    const bytes = Buffer.from(text, "base64");
    // Encoding the bytes again detects non-zero unused bits (RFC 4648 §3.5).
    if (!STRICT_BASE64.test(text) || bytes.toString("base64") !== text)
      throw new SyntaxError("Cannot decode what is not base64");
    return Uint8Array.from(bytes).buffer;
  },
});
