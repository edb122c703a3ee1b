/** `embedded:io/socket/tcp`: a connection (ECMA-419 §11). It stays alive while it is open. */
export default class TCP extends Native("xs_tcp_destructor") {
  /** @param {object} [options] left out for a connection that waits to be adopted */
  constructor(options) {
    super();
    if (options) native("xs_tcp_constructor").call(this, options);
  }
  get remoteAddress() {
    return native("xs_tcp_remote_address").call(this);
  }
  get localAddress() {
    return native("xs_tcp_local_address").call(this);
  }
  get remotePort() {
    return native("xs_tcp_remote_port").call(this);
  }
  /** @param {number | ArrayBufferLike | ArrayBufferView} [into] */
  read(into) {
    return native("xs_tcp_read").call(this, into);
  }
  /** @param {ArrayBufferLike | ArrayBufferView} bytes */
  write(bytes) {
    return native("xs_tcp_write").call(this, bytes);
  }
  close() {
    native("xs_tcp_close").call(this);
  }
}
