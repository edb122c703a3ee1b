/** `svc/network`: the joined network, queried at each read. */
export default Object.freeze({
  get address() {
    return native("xs_network_address").call(this);
  },
  get addressIpv6() {
    return native("xs_network_address_ipv6").call(this);
  },
  get rssi() {
    return native("xs_network_rssi").call(this);
  },
  /** @param {string} address */
  hasAddress(address) {
    return native("xs_network_has_address").call(this, address);
  },
});
