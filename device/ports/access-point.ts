/**
 * The radio as an access point: a network of the console's own, with WPA2 and a DHCP server that names the console as
 * gateway and name server. ECMA-419 has none. It works beside {@link "./wifi.ts"}, which must be switched on, and
 * whatever that has joined.
 */
export interface AccessPointOptions {
  /** 1 to 32 bytes of UTF-8 without U+0000. */
  readonly ssid: string;
  /** A WPA passphrase: 8 to 63 printable ASCII characters. */
  readonly password: string;
  /** Clients at a time; the access point refuses others. */
  readonly clientLimit: number;
  /** `clientCount` may have changed. Never called inside a method, nor after `close`. */
  readonly onChanged: () => void;
}

/** Switches the access point on. Only one instance at a time. The constructor throws an `Error` if the radio refuses. */
export type AccessPointConstructor = new (options: AccessPointOptions) => AccessPoint;

export interface AccessPoint {
  /** IPv4 address of the console in this network, in dotted form. */
  readonly address: string;
  /** How the addresses of clients begin, such as `192.168.4.`. */
  readonly clientPrefix: string;
  /** Clients that are connected now. */
  readonly clientCount: number;
  /** Disconnects the clients and switches the access point off. May be called twice. */
  close(): void;
}
