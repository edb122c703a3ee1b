/** `indexOf` and `set` of `Uint8Array` in C; other arrays keep XS's. */

const { set } = Uint8Array.prototype;

/** @param {unknown} value */
const method = (value) => ({ value, writable: true, configurable: true });

/** @this {Uint8Array} @param {ArrayLike<number> & { BYTES_PER_ELEMENT?: number }} source @param {number} [offset] */
function setBytes(source, offset) {
  // Signed and clamped bytes are copied unchanged, too.
  if (source.BYTES_PER_ELEMENT === 1) native("xs_bytes_set").call(this, source, offset);
  else set.call(this, source, offset);
}

Object.defineProperties(Uint8Array.prototype, {
  indexOf: method(native("xs_bytes_index_of")),
  set: method(setBytes),
});
