/** `crc32`: the CRC-32 of IEEE 802.3, as in zip. */

/** @implements {Port} @typedef {import("../../../../protocol/ports/crypto.js").Crc32} Port */
export default class Crc32 extends Native("xs_crc32_destructor") {
  /** @param {Uint8Array} bytes @returns {number} */
  checksum(bytes) {
    return native("xs_crc32_checksum").call(this, bytes);
  }
  /** @param {number} checksum @param {number} byteLength @returns {number} */
  append(checksum, byteLength) {
    return native("xs_crc32_append").call(this, checksum, byteLength);
  }
}
