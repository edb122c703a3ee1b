/** `svc/access-point`: a simulated access point (native/network/access-point.c). It stays alive while it is open. */

/** Of the loopback network, so that only this machine reaches it, and apart from the address of the console itself. */
const PREFIX = "127.0.4.";

export default class AccessPoint extends Native("xs_access_point_destructor") {
  /** @param {import("../../../../ports/access-point.js").AccessPointOptions} options */
  constructor({ ssid, password, clientLimit, onChanged }) {
    super();
    native("xs_access_point_constructor").call(this, ssid, password, clientLimit, onChanged);
  }
  get address() {
    return `${PREFIX}1`;
  }
  get clientPrefix() {
    return PREFIX;
  }
  get clientCount() {
    return native("xs_access_point_client_count").call(this);
  }
  close() {
    native("xs_access_point_close").call(this);
  }
}
