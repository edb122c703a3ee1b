/** `svc/random`: bytes from the host's cryptographic source. */

/** @type {import("../../../../../protocol/ports/runtime.js").Random} */
const random = {
  getRandomValues(into) {
    return native("xs_random_get_random_values").call(this, into);
  },
};

export default Object.freeze(random);
