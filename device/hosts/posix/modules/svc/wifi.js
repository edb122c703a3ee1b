/** `svc/wifi`: a simulated radio (native/network/wifi.c). It stays alive while it is switched on. */

/** @typedef {import("../../../../ports/wifi.js").WifiFound} WifiFound */

/** The host's own network, so that an unconfigured console is on the network. */
const HOST_NETWORK = Object.freeze({ SSID: "Host network" });

export default class Wifi extends Native("xs_wifi_destructor") {
  static builtIn = HOST_NETWORK;

  /** @param {{ readonly onChanged: () => void }} options */
  constructor({ onChanged }) {
    super();
    native("xs_wifi_constructor").call(this, onChanged);
  }
  get connection() {
    return native("xs_wifi_connection").call(this);
  }
  get failure() {
    return native("xs_wifi_failure").call(this);
  }
  /** @param {import("../../../../ports/wifi.js").WifiNetwork} network */
  connect({ SSID, password = "" }) {
    native("xs_wifi_connect").call(this, SSID, password);
  }
  disconnect() {
    native("xs_wifi_disconnect").call(this);
  }
  /** @param {import("../../../../ports/wifi.js").WifiScanOptions} options */
  scan({ onFound, onComplete }) {
    native("xs_wifi_scan").call(this, () => {
      for (let index = 0; ; index++) {
        const found = /** @type {WifiFound | undefined} */ (native("xs_wifi_found").call(this, index));
        if (!found) break;
        onFound(found);
      }
      onComplete();
    });
  }
  close() {
    native("xs_wifi_close").call(this);
  }
}
