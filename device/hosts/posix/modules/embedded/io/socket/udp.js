/** `embedded:io/socket/udp`: datagrams (ECMA-419 §11). A socket stays alive while it is open. */
export default class UDP extends Native("xs_udp_destructor") {
  /** @param {import("../../../../../../ports/udp.js").UdpOptions} options */
  constructor(options) {
    super();
    native("xs_udp_constructor").call(this, options);
  }
  get port() {
    return native("xs_udp_port").call(this);
  }
  read() {
    return native("xs_udp_read").call(this);
  }
  /** @param {ArrayBufferLike | ArrayBufferView} bytes @param {string} address @param {number} port */
  write(bytes, address, port) {
    native("xs_udp_write").call(this, bytes, address, port);
  }
  close() {
    native("xs_udp_close").call(this);
  }
}
