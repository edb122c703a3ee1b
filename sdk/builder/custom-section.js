/** Custom sections of WebAssembly modules (WebAssembly 2.0 §5.5.3). */

const CUSTOM_SECTION = 0;

/**
 * @param {Uint8Array} module
 * @param {string} name
 * @param {Uint8Array} contents
 * @returns {Uint8Array} the module with the section at its end
 */
export function appendCustomSection(module, name, contents) {
  const nameBytes = Buffer.from(name);
  const body = [...leb128(nameBytes.length), ...nameBytes];
  const head = [CUSTOM_SECTION, ...leb128(body.length + contents.length)];
  return Buffer.concat([module, Uint8Array.from(head), Uint8Array.from(body), contents]);
}

/** @param {number} value unsigned @returns {number[]} */
function leb128(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}
