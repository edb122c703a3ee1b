/** `svc/memory`: blocks of the process's memory, outside the machine's heap. */

/** @typedef {import("../../../../../protocol/ports/runtime.js").MemoryBlock} MemoryBlock */

/** Typed arrays view it like an ArrayBuffer. */
class Block extends Native("xs_memory_destructor") {
  /** @param {number} byteLength */
  constructor(byteLength) {
    super();
    native("xs_memory_constructor").call(this, byteLength);
  }
  close() {
    native("xs_memory_close").call(this);
  }
}

/** @type {import("../../../../../protocol/ports/runtime.js").Memory} */
const memory = {
  allocate(byteLength) {
    const block = new Block(byteLength);
    const bytes = new Uint8Array(/** @type {ArrayBuffer} */ (/** @type {unknown} */ (block)));
    return { bytes, close: () => block.close() };
  },
};

export default Object.freeze(memory);
