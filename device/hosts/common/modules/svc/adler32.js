/** `svc/adler32`: the checksum of zlib. */

/** @implements {Port} @typedef {import("../../../../../protocol/ports/crypto.js").Adler32} Port */
export default class Adler32 extends Native("xs_adler32_destructor") {
  constructor() {
    super();
    native("xs_adler32_constructor").call(this);
  }
  /** @param {Uint8Array} bytes @returns {number} */
  checksum(bytes) {
    return native("xs_adler32_checksum").call(this, bytes);
  }
}
