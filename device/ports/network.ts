/** The network that the console is in: the joined WiFi network, or a wired one, which has precedence. */
export interface NetworkInterface {
  /** IPv4 address in dotted form, `""` while no network is joined. */
  readonly address: string;
  /** IPv6 address, if any. */
  readonly addressIpv6?: string;
  /** Signal strength in dBm, 0 while no network is joined and on a wired link. */
  readonly rssi: number;
}

/** All networks that the console is attached to, joined or not. */
export interface Interfaces {
  /**
   * Whether the console has this address on any interface, including loopback and secondary addresses. Checked anew at
   * each call.
   *
   * @param address IPv4 in dotted form, or IPv6 in hexadecimal groups without a zone
   */
  hasAddress(address: string): boolean;
}
