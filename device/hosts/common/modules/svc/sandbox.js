/** `svc/sandbox`: sandboxed programs, whose C is generated (docs/adr/0030-the-sandbox.md). */

/** Typed arrays view it like an ArrayBuffer. */
class Program extends Native("xs_sandbox_destructor") {
  /** @param {string} name */
  constructor(name) {
    super();
    native("xs_sandbox_constructor").call(this, name);
    this.memory = new Uint8Array(/** @type {ArrayBuffer} */ (/** @type {unknown} */ (this)));
  }
  /** @param {number} first @param {number} second @returns {number} */
  begin(first, second) {
    return native("xs_sandbox_begin").call(this, first, second);
  }
  /** @returns {number} */
  room() {
    return native("xs_sandbox_room").call(this);
  }
  /** @param {number} byteLength @returns {number} */
  feed(byteLength) {
    return native("xs_sandbox_feed").call(this, byteLength);
  }
  /** @returns {number} */
  finish() {
    return native("xs_sandbox_finish").call(this);
  }
  close() {
    native("xs_sandbox_close").call(this);
  }
}

/** @type {import("../../../../../protocol/ports/sandbox.js").Sandbox} */
const sandbox = { open: (name) => new Program(name) };

export default Object.freeze(sandbox);
