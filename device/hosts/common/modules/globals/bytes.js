/** `indexOf`, `set`, `toHex` and `fromHex` of `Uint8Array` in C; other arrays keep XS's. */

const { set } = Uint8Array.prototype;

/** @param {unknown} value */
const method = (value) => ({ value, writable: true, configurable: true });

/** @this {Uint8Array} @param {ArrayLike<number> & { BYTES_PER_ELEMENT?: number }} source @param {number} [offset] */
function setBytes(source, offset) {
  // Signed and clamped bytes are copied unchanged, too.
  if (source.BYTES_PER_ELEMENT === 1) native("xs_bytes_set").call(this, source, offset);
  else set.call(this, source, offset);
}

/** @this {Uint8Array} */
function toHex() {
  return native("xs_bytes_to_hex").call(this);
}

/** @this {unknown} @param {string} text */
function fromHex(text) {
  return new Uint8Array(native("xs_bytes_from_hex").call(this, text));
}

Object.defineProperties(Uint8Array.prototype, {
  indexOf: method(native("xs_bytes_index_of")),
  set: method(setBytes),
  toHex: method(toHex),
});
Object.defineProperty(Uint8Array, "fromHex", method(fromHex));
