/**
 * The radio that joins a WiFi network: the part of ECMA-419's network interface (`embedded:network/interface/wifi`
 * in the Moddable SDK) that services need, and `failure`, which the standard lacks. Address and signal strength are in
 * the port `network.ts`.
 *
 * The radio does one thing at a time. It neither stores a network nor reconnects by itself.
 */
export interface WifiConstructor {
  /** The network to join if none is configured; left out without a preset network. */
  readonly builtIn?: WifiNetwork | undefined;
  /** Turns the radio on. Only one instance at a time; `close` turns the radio off. */
  new (options: {
    /** `connection` may have changed. Never called inside a method, nor after `close`. */
    readonly onChanged: () => void;
  }): Wifi;
}

export interface Wifi {
  readonly connection: WifiConnection;
  /**
   * Why the latest `connect` failed or its connection was lost; `undefined` before that, after the next `connect`, and
   * after `disconnect`.
   */
  readonly failure: WifiFailure | undefined;
  /**
   * Starts to join. `onChanged` follows when the network is joined, cannot be joined, or is lost. A host with a
   * permanent network may be joined when this returns; `onChanged` still follows.
   * @throws {Error} while scanning, or unless disconnected
   */
  connect(network: WifiNetwork): void;
  /**
   * Leaves the network or stops joining; a scan continues. Disconnected when this returns; `onChanged` is not called
   * for it.
   */
  disconnect(): void;
  /**
   * Scans for networks once, for a few seconds. Works while joined.
   * @throws {Error} while scanning, or while joining
   */
  scan(options: WifiScanOptions): void;
  /** Leaves the network, ends a scan without a callback, and turns the radio off. May be called twice. */
  close(): void;
}

/** Disconnected, joining, joined without an address yet, joined: ECMA-419's numbers for these. */
export type WifiConnection = 200 | 300 | 400 | 500;

export const WIFI_DISCONNECTED = 200;
export const WIFI_JOINED_WITHOUT_ADDRESS = 400;
/** Joined, with an IPv4 address. */
export const WIFI_JOINED = 500;

export type WifiFailure =
  /** No access point with this name answers. */
  | "not_found"
  /** The access point rejected the password, or stopped answering after it. */
  | "wrong_password"
  /** The access point rejected the console, for instance because it is full. */
  | "refused"
  /** The network was joined, and the connection was lost. */
  | "lost";

export interface WifiNetwork {
  /** 1 to 32 bytes of UTF-8 without U+0000. */
  readonly SSID: string;
  /** A WPA passphrase of 8 to 63 bytes, or a key of 64 hexadecimal digits; left out for an open network. */
  readonly password?: string;
}

export interface WifiScanOptions {
  /** Called for each access point, in any order; a network with several is reported several times. */
  readonly onFound: (found: WifiFound) => void;
  /** Called once, after the last `onFound`. May start another scan. */
  readonly onComplete: () => void;
}

export interface WifiFound {
  /** Empty for a hidden network. The host leaves out names that are not UTF-8. */
  readonly SSID: string;
  /** In dBm. */
  readonly RSSI: number;
  readonly channel: number;
  /** `none` for an open network. */
  readonly security: string;
}
