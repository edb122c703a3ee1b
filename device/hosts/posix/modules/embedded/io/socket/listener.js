/** `embedded:io/socket/listener`: accepts connections (ECMA-419 §11). It stays alive while it is open. */
import TCP from "embedded:io/socket/tcp";

const makeTcp = () => Reflect.construct(TCP, []);

export default class Listener extends Native("xs_listener_destructor") {
  /** @param {import("../../../../../../../protocol/ports/network.js").TcpListenerOptions} options */
  constructor(options) {
    super();
    native("xs_listener_constructor").call(this, options);
  }
  get port() {
    return native("xs_listener_port").call(this);
  }
  read() {
    return native("xs_listener_read").call(this, makeTcp);
  }
  close() {
    native("xs_listener_close").call(this);
  }
}
