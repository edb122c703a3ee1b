/** `base64`: RFC 4648 §4 with padding, in both directions. */

/** @type {import("../../../../protocol/ports/runtime.js").Base64} */
const base64 = {
  encode(bytes) {
    return native("xs_base64_encode").call(this, bytes);
  },
  decode(text) {
    return native("xs_base64_decode").call(this, text);
  },
};

export default Object.freeze(base64);
