/** `svc/ed25519`: signature checks on the curve. */

/** @type {import("../../../../../protocol/ports/crypto.js").Ed25519} */
const ed25519 = {
  holds(signature, publicKey, digest) {
    return native("xs_ed25519_holds").call(this, signature, publicKey, digest);
  },
  isPublicKey(bytes) {
    return native("xs_ed25519_is_public_key").call(this, bytes);
  },
};

export default Object.freeze(ed25519);
