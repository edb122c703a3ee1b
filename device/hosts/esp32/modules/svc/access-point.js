/** `svc/access-point`: the chip's radio as an access point. It stays alive while it is switched on. */
export default class AccessPoint extends Native("xs_access_point_destructor") {
  /** @param {import("../../../../ports/access-point.js").AccessPointOptions} options */
  constructor({ ssid, password, clientLimit, onChanged }) {
    super();
    native("xs_access_point_constructor").call(this, ssid, password, clientLimit, onChanged);
  }
  get address() {
    return native("xs_access_point_address").call(this);
  }
  /** Its network has a mask of 24 bits, ESP-IDF's default. */
  get clientPrefix() {
    const { address } = this;
    return address.slice(0, address.lastIndexOf(".") + 1);
  }
  get clientCount() {
    return native("xs_access_point_client_count").call(this);
  }
  close() {
    native("xs_access_point_close").call(this);
  }
}
