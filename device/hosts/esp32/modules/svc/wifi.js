/** `svc/wifi`: the chip's radio. It stays alive while it is switched on. */
import config from "mc/config";

/** @typedef {import("../../../../ports/wifi.js").Wifi} WifiPort */
/** @typedef {import("../../../../ports/wifi.js").WifiNetwork} WifiNetwork */
/** @typedef {import("../../../../ports/wifi.js").WifiScanOptions} WifiScanOptions */

/** @implements {WifiPort} */
export default class Wifi extends Native("xs_wifi_destructor") {
  static get builtIn() {
    return config.wifi;
  }
  /** @param {{ onChanged: () => void }} options */
  constructor(options) {
    super();
    native("xs_wifi_constructor").call(this, options);
  }
  get connection() {
    return native("xs_wifi_connection").call(this);
  }
  get failure() {
    return native("xs_wifi_failure").call(this);
  }
  /** @param {WifiNetwork} network */
  connect({ SSID, password }) {
    native("xs_wifi_connect").call(this, SSID, password);
  }
  disconnect() {
    native("xs_wifi_disconnect").call(this);
  }
  /** @param {WifiScanOptions} options */
  scan({ onFound, onComplete }) {
    native("xs_wifi_scan").call(this, onFound, onComplete);
  }
  close() {
    native("xs_wifi_close").call(this);
  }
}
