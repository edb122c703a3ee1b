/** Ports of bytes (device/ports) over Node's own, so that `protocol/` runs in programs on Node. */
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

/** RFC 4648 §4 as a grammar, since Node's decoder skips what it does not know. */
const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const nodeBase64: Base64 = Object.freeze({
  encode: (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"),
  decode(text: string) {
    const bytes = Buffer.from(text, "base64");
    // Encoding it again finds the bits that are left over and must be zero (RFC 4648 §3.5).
    if (!STRICT_BASE64.test(text) || bytes.toString("base64") !== text)
      throw new SyntaxError("Cannot decode what is not base64");
    return Uint8Array.from(bytes).buffer;
  },
});
