/** `svc/retained-memory`: memory that survives a restart and a crash, but not a power cut. */

/** @type {import("../../../../ports/retained-memory.js").RetainedMemory} */
const memory = {
  get byteLength() {
    return native("xs_retained_memory_byte_length").call(this);
  },
  read(into, offset) {
    native("xs_retained_memory_read").call(this, into, offset);
  },
  write(bytes, offset) {
    native("xs_retained_memory_write").call(this, bytes, offset);
  },
};

export default Object.freeze(memory);
