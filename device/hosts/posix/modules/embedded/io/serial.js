/** `embedded:io/serial`: the console's USB port (ECMA-419 §11). It stays alive while it is open. */
export default class Serial extends Native("xs_serial_destructor") {
  /** @param {import("../../../../../ports/serial.js").SerialOptions} options */
  constructor(options) {
    super();
    native("xs_serial_constructor").call(this, options);
  }
  /** @param {number | ArrayBufferLike | ArrayBufferView} [into] */
  read(into) {
    return native("xs_serial_read").call(this, into);
  }
  /** @param {ArrayBufferLike | ArrayBufferView} bytes */
  write(bytes) {
    native("xs_serial_write").call(this, bytes);
  }
  close() {
    native("xs_serial_close").call(this);
  }
}
