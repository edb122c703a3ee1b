/** `svc/tls`: the client side of a TLS connection, without a socket (protocol/ports/network.ts). */
export default class Tls extends Native("xs_tls_destructor") {
  /** @param {import("../../../../../protocol/ports/network.js").TlsOptions} options */
  constructor({ serverName }) {
    super();
    native("xs_tls_constructor").call(this, serverName);
  }
  get phase() {
    return native("xs_tls_phase").call(this);
  }
  get problem() {
    return native("xs_tls_problem").call(this);
  }
  get receivable() {
    return native("xs_tls_receivable").call(this);
  }
  /** @param {Uint8Array} ciphertext */
  receive(ciphertext) {
    native("xs_tls_receive").call(this, ciphertext);
  }
  get readable() {
    return native("xs_tls_readable").call(this);
  }
  /** @param {Uint8Array} into */
  read(into) {
    native("xs_tls_read").call(this, into);
  }
  get writable() {
    return native("xs_tls_writable").call(this);
  }
  /** @param {Uint8Array} plaintext */
  write(plaintext) {
    native("xs_tls_write").call(this, plaintext);
  }
  get takeable() {
    return native("xs_tls_takeable").call(this);
  }
  /** @param {Uint8Array} into */
  take(into) {
    return native("xs_tls_take").call(this, into);
  }
  end() {
    native("xs_tls_end").call(this);
  }
  close() {
    native("xs_tls_close").call(this);
  }
}
