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
