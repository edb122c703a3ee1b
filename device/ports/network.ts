/** The joined network, as WiFi sees it. */
export interface NetworkInterface {
  /** IPv4 address in dotted form, `""` while no network is joined. */
  readonly address: string;
  /** IPv6 address, where there is one. */
  readonly addressIpv6?: string;
  /** Signal strength in dBm, 0 while no network is joined or where the link has none (a wire). */
  readonly rssi: number;
}

/** All networks that the console is attached to, joined or not. */
export interface Interfaces {
  /**
   * Whether any of them has given the console this address, loopback and second addresses included. It is asked for
   * anew each time.
   *
   * @param address IPv4 in dotted form, or IPv6 in hexadecimal groups without a zone; the console has no other
   */
  hasAddress(address: string): boolean;
}
