/** `svc/resolver`: resolves host names with the host's resolver. A lookup stays alive until it has called back. */

/** @typedef {import("../../../../../protocol/ports/network.js").OnResolved} OnResolved */

class Lookup extends Native("xs_lookup_destructor") {
  /** @param {string} name @param {OnResolved} onResolved */
  constructor(name, onResolved) {
    super();
    native("xs_lookup_constructor").call(this, name, () => settle(this, name, onResolved));
  }
  get address() {
    return native("xs_lookup_address").call(this);
  }
  get problem() {
    return native("xs_lookup_problem").call(this);
  }
}

/** @param {Lookup} lookup @param {string} name @param {OnResolved} onResolved */
function settle({ address, problem }, name, onResolved) {
  if (address !== undefined) onResolved(undefined, address);
  else onResolved(new Error(`Cannot find "${name}": ${problem}`), undefined);
}

/** @type {import("../../../../../protocol/ports/network.js").Resolver} */
const resolver = {
  resolve(name, onResolved) {
    if (typeof onResolved !== "function") throw new TypeError("A lookup needs a function");
    new Lookup(name, onResolved);
  },
};

export default Object.freeze(resolver);
