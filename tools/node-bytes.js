/** Ports of bytes (device/ports) over Node's own, so that `protocol/` runs in programs on Node. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** @typedef {import("../protocol/ports/bytes.ts").Base64} Base64 */
/** @typedef {import("../protocol/ports/digest.ts").Crc32} Crc32 */
/** @typedef {import("../protocol/ports/digest.ts").Digest} Digest */
/** @typedef {import("../protocol/ports/digest.ts").DigestAlgorithm} DigestAlgorithm */

/** @type {ReadonlySet<string>} */
const ALGORITHMS = new Set(["SHA1", "SHA256", "SHA512"]);

/** @implements {Digest} */
export class NodeDigest {
  /** @type {import("node:crypto").Hash | undefined} */
  #hash;

  /** @param {DigestAlgorithm} algorithm */
  constructor(algorithm) {
    if (!ALGORITHMS.has(algorithm)) throw new RangeError(`Cannot digest with "${algorithm}"`);
    this.#hash = createHash(algorithm);
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    this.#open().update(bytes);
  }

  /** @returns {ArrayBuffer} */
  close() {
    const digest = this.#open().digest();
    this.#hash = undefined;
    return Uint8Array.from(digest).buffer;
  }

  #open() {
    if (!this.#hash) throw new Error("Cannot use a closed digest");
    return this.#hash;
  }
}

/** @implements {Crc32} */
export class NodeCrc32 {
  #checksum = 0;

  /** @param {Uint8Array} bytes */
  checksum(bytes) {
    this.#checksum = crc32(bytes, this.#checksum);
    return this.#checksum;
  }
}

/** RFC 4648 §4 as a grammar, since Node's decoder skips what it does not know. */
const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @type {Base64} */
export const nodeBase64 = Object.freeze({
  /** @param {Uint8Array} bytes */
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"),
  /** @param {string} text */
  decode(text) {
    const bytes = Buffer.from(text, "base64");
    // Encoding it again finds the bits that are left over and must be zero (RFC 4648 §3.5).
    if (!STRICT_BASE64.test(text) || bytes.toString("base64") !== text)
      throw new SyntaxError("Cannot decode what is not base64");
    return Uint8Array.from(bytes).buffer;
  },
});
