/** `crypt`: incremental digests. */

/** @implements {Port} @typedef {import("../../../protocol/ports/crypto.js").Digest} Port */
export class Digest extends Native("xs_digest_destructor") {
  /** @param {import("../../../protocol/ports/crypto.js").DigestAlgorithm} algorithm */
  constructor(algorithm) {
    super();
    native("xs_digest_constructor").call(this, algorithm);
  }
  /** @param {Uint8Array} bytes */
  write(bytes) {
    native("xs_digest_write").call(this, bytes);
  }
  /** @returns {ArrayBuffer} */
  close() {
    return native("xs_digest_close").call(this);
  }
}
