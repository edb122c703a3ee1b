/**
 * The radio that joins a WiFi network: the part of ECMA-419's network interface (`embedded:network/interface/wifi`
 * in the Moddable SDK) that services need, and `failure`, which the standard has not. What the joined network
 * gives, which is an address and a signal strength, is told by the port `network.ts`.
 *
 * The radio does one thing at a time, and nothing by itself: it neither remembers a network nor joins one again.
 */
export interface WifiConstructor {
  /** The network to join where none is configured, if this console was made for one. */
  readonly builtIn?: WifiNetwork | undefined;
  /** Switches the radio on. There is one at a time; `close` switches it off. */
  new (options: {
    /** `connection` may have changed. Never from inside a call, and never after `close`. */
    readonly onChanged: () => void;
  }): Wifi;
}

export interface Wifi {
  readonly connection: WifiConnection;
  /**
   * Why the latest `connect` has ended without or after having been joined; `undefined` before that, from the
   * next `connect` on, and where `disconnect` has ended it.
   */
  readonly failure: WifiFailure | undefined;
  /**
   * Begins to join. `onChanged` follows when the network is joined, and when it cannot be, or is lost again. A
   * host whose network is there already may be joined once this returns; `onChanged` follows all the same.
   * @throws {Error} while scanning, or unless disconnected
   */
  connect(network: WifiNetwork): void;
  /**
   * Leaves, or gives up joining; a scan goes on. Disconnected once this returns, of which `onChanged` never tells,
   * not even later.
   */
  disconnect(): void;
  /**
   * Looks for networks, once, for a few seconds. Works while joined.
   * @throws {Error} while scanning, or while joining
   */
  scan(options: WifiScanOptions): void;
  /** Leaves, ends a scan without calling back, and switches the radio off. May be called twice. */
  close(): void;
}

/** Disconnected, joining, joined without an address yet, joined: ECMA-419's numbers for these. */
export type WifiConnection = 200 | 300 | 400 | 500;

export const WIFI_DISCONNECTED = 200;
export const WIFI_JOINED_WITHOUT_ADDRESS = 400;
/** There is an IPv4 address. */
export const WIFI_JOINED = 500;

export type WifiFailure =
  /** No access point of this name answers. */
  | "not_found"
  /** The access point is there, and the password did not open it: also where it just went silent at that. */
  | "wrong_password"
  /** The access point does not want the console, for instance since it is full. */
  | "refused"
  /** It was joined, and the connection is lost. */
  | "lost";

export interface WifiNetwork {
  /** 1 to 32 bytes of UTF-8 without U+0000. */
  readonly SSID: string;
  /** A WPA passphrase of 8 to 63 bytes, or a key of 64 hexadecimal digits; left out: the network is open. */
  readonly password?: string;
}

export interface WifiScanOptions {
  /** Called for each access point, in any order; those of one network each come. */
  readonly onFound: (found: WifiFound) => void;
  /** Comes once, after the last `onFound`. Another scan may be begun in it. */
  readonly onComplete: () => void;
}

export interface WifiFound {
  /** Empty for a hidden network. One that is not UTF-8 is left out by the host. */
  readonly SSID: string;
  /** In dBm. */
  readonly RSSI: number;
  readonly channel: number;
  /** `none` for an open network. */
  readonly security: string;
}
